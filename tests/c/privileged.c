// Prints whether the operating system reports raised privileges, and the instruction set in force.
// With SIMULATED the program fakes the report, for machines that do not allow setuid programs.
#include "hotloops.h"

#include <stdio.h>

#define AT_SECURE_ENTRY 23

#ifdef SIMULATED
unsigned long getauxval(unsigned long type);

unsigned long getauxval(unsigned long type)
{
    return type == AT_SECURE_ENTRY;
}
#else
#include <sys/auxv.h>
#endif

int main(void)
{
    printf("%d %s\n", getauxval(AT_SECURE_ENTRY) != 0, hl_isa_active());
    return 0;
}
