# SPDX-License-Identifier: BSD-3-Clause
# Where the launcher tells nobody who is traced.

case $mpi-$($MPIRUN --version 2>/dev/null) in
*"Open MPI) 4."*)
    export OMPI_MCA_pmix_base_collect_data=0
    as_bare "nobody tells" $bare -- -np 2 $any : -np 2 $with $any
    same "nobody tells: it is said why nothing is traced, once" 1 "$(grep -c "several programs run in this job" err)"
    same "nobody tells: no folder" "" "$(ls -d trace* 2>/dev/null)"
    as_bare "nobody tells, one program" $bare -- -np 4 $with $any
    recorded "nobody tells, one program" "0 1 2 3"
    unset OMPI_MCA_pmix_base_collect_data ;;
*) skip "nobody tells" "this launcher does, always" ;;
esac
