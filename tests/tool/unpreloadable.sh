# SPDX-License-Identifier: BSD-3-Clause
# Programs into which nothing can be preloaded.

warning="is statically linked: no library can be preloaded into it"
if echo 'int main(void){return 3;}' | ${CC:-cc} -static -x c - -o static 2>/dev/null; then
    gives "static program: warning" 3 "./static $warning" "$tool" run ./static
    gives "static program: first rank" 3 "$warning" env OMPI_COMM_WORLD_RANK=0 "$tool" run ./static
    same "static program: other ranks" "" "$(OMPI_COMM_WORLD_RANK=1 "$tool" run ./static 2>&1)"
else
    verdict "static program (skipped: nothing can be linked statically here)" ""
fi
same "dynamic program: no warning" "" "$("$tool" run --summary off true 2>&1)"
cp "$(type -P true)" setuid
if chown nobody setuid 2>/dev/null && chmod u+s setuid; then
    gives "setuid program: warning" 0 "./setuid is setuid" "$tool" run ./setuid
else
    verdict "setuid program (skipped: needs root)" ""
fi
