// Macros and functions of consumer.c that check calls and print results.

#define CHECK(truth)                                                                 \
    do {                                                                             \
        if (!(truth)) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #truth);              \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)
#define OK(call) CHECK((call) == HL_OK)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static unsigned char refused[256];

// The call must fail with this code. Prints the argument that its status names.
#define REFUSED(status, call)                                                        \
    do {                                                                             \
        const hl_status got = (call);                                                \
        CHECK(hl_status_code(got) == (status));                                      \
        refused[-hl_status_code(got)] = 1;                                           \
        named(#call, got);                                                           \
    } while (0)

static void named(const char *call, hl_status status)
{
    const char *const argument = hl_status_argument(status), *const text = hl_status_string(status);
    const size_t length = strlen(text), tail = strlen(argument);
    if (tail > 0) {
        printf("named %.*s %s\n", (int)strcspn(call, "("), call, argument);
        CHECK(length > tail + 2 && strcmp(text + length - tail, argument) == 0 &&
              strncmp(text + length - tail - 2, ": ", 2) == 0);
    }
}

static void digest(const char *name, const void *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t i;
    for (i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    printf("digest %s %08lx%08lx\n", name, (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffff));
}
