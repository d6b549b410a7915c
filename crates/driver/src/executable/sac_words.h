/* The words of the command line as two arrays: the characters of all words, and where each word ends. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    uint32_t *characters;
    int64_t count_of_characters;
    int64_t *ends;
    int64_t count_of_ends;
} sac_words;

/* Reads a character of UTF-8; a byte that begins none stands for itself. */
static uint32_t sac_read_character(const unsigned char **at) {
    const unsigned char *text = *at;
    int more = text[0] >= 0xf0 ? 3 : text[0] >= 0xe0 ? 2 : text[0] >= 0xc0 ? 1 : 0;
    uint32_t character = more == 0 ? text[0] : text[0] & (0x3fu >> more);
    for (int k = 1; k <= more; k++) {
        if ((text[k] & 0xc0) != 0x80) {
            *at += 1;
            return text[0];
        }
        character = character << 6 | (text[k] & 0x3fu);
    }
    *at += more + 1;
    return character;
}

static sac_words sac_read_words(int argc, char **argv) {
    size_t bytes = 1;
    for (int k = 0; k < argc; k++) bytes += strlen(argv[k]);
    sac_words words = {malloc(bytes * sizeof(uint32_t)), 0, malloc(((size_t)argc + 1) * sizeof(int64_t)), argc};
    if (words.characters == NULL || words.ends == NULL) {
        fputs("error[out-of-memory]: the words of the command line do not fit into memory\n", stderr);
        exit(1);
    }
    for (int k = 0; k < argc; k++) {
        const unsigned char *at = (const unsigned char *)argv[k];
        while (*at) words.characters[words.count_of_characters++] = sac_read_character(&at);
        words.ends[k] = words.count_of_characters;
    }
    return words;
}
