# SPDX-License-Identifier: BSD-3-Clause
# Applications: those that are asked for, or a few steps of LAMMPS.

# application APP
application() {
    local app=$1
    "$root/bench/apps.sh" run "$app" "$PWD/case" "$tool" run --mode full --summary off --log-limit 8G \
        -o "$PWD/$app" >out 2>err || verdict "$app: the run" "exit code $?: $(tail -n 3 err)"
    lossless "$app"
    echo "note $app: $(grep -h -m1 same same); run.efg $(stat -c %s "$app/run.efg") bytes, trace $(
        cat "$app"/traces.* "$app"/traces/* | wc -c) bytes, $(orders "$app") sequences"
    rm -rf case "$app"
}
if [ -n "${APPS:-}" ]; then
    for app in $APPS; do
        application "$app"
    done
elif has_lammps; then
    LAMMPS_STEPS=200 application lammps
else
    skip "LAMMPS" "there is none for $mpi"
fi
