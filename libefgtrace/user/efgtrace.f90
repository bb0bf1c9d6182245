! SPDX-License-Identifier: BSD-3-Clause
! What a program that can be built again may tell efgtrace, from Fortran 2008; efgtrace.h says what each
! does. Compile this file with the program's own compiler, and link nothing:
!
!     use efgtrace
!     do step = 1, steps
!         call efgtrace_iteration()
!         call efgtrace_begin("solve")
!         ..
!         call efgtrace_end("solve")
!     end do
module efgtrace
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: efgtrace_iteration, efgtrace_begin, efgtrace_end, efgtrace_record

    interface
        function dlsym(handle, name) bind(C, name="dlsym")
            import :: c_ptr, c_funptr, c_char
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
            type(c_funptr) :: dlsym
        end function

        subroutine user(what, name, iterations) bind(C)
            import :: c_int, c_long, c_char
            integer(c_int), value :: what
            character(kind=c_char), intent(in) :: name(*)
            integer(c_long), value :: iterations
        end subroutine
    end interface

    procedure(user), pointer :: found => null()
    logical :: is_known = .false.
contains
    subroutine tell(what, name, iterations)
        integer(c_int), intent(in) :: what
        character(*), intent(in) :: name
        integer(c_long), intent(in) :: iterations
        type(c_funptr) :: function
        if (.not. is_known) then
            function = dlsym(c_null_ptr, "efgtrace_user"//c_null_char)
            if (c_associated(function)) call c_f_procpointer(function, found)
            is_known = .true.
        end if
        if (associated(found)) call found(what, trim(name)//c_null_char, iterations)
    end subroutine

    subroutine efgtrace_iteration()
        call tell(0_c_int, "", 0_c_long)
    end subroutine

    subroutine efgtrace_begin(name)
        character(*), intent(in) :: name
        call tell(1_c_int, name, 0_c_long)
    end subroutine

    subroutine efgtrace_end(name)
        character(*), intent(in) :: name
        call tell(-1_c_int, name, 0_c_long)
    end subroutine

    subroutine efgtrace_record(iterations)
        integer, intent(in) :: iterations
        if (iterations > 0) call tell(2_c_int, "", int(iterations, c_long))
    end subroutine
end module
