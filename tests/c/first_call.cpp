// Runs all of consumer.c in a static initialiser: before main or, as a shared object, in dlopen.
#define main consumer
#include "consumer.c"
#undef main

static const int status = consumer();

int main()
{
    return status;
}
