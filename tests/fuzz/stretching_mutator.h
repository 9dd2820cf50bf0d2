// Mutations of text that follow its structure and make it long: what repeats, nests or stretches
// finds readers whose time or stack grows with more than the size of their input. libFuzzer's own
// mutations change a few bytes at a time and do not get there.

#ifndef SHAPEWISE_TESTS_FUZZ_STRETCHING_MUTATOR_H_
#define SHAPEWISE_TESTS_FUZZ_STRETCHING_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shapewise {

/// `text` after one structural mutation: a piece (line, record, word, bracket, chained call, list
/// item) is repeated, numbered, stretched, nested, cut, moved or swapped. Most results grow by at
/// most 4 KiB; one in `long_share` may grow up to `max_size`. The result has at most `max_size`
/// bytes and depends on the arguments alone.
std::string StretchText(std::string_view text, size_t max_size, uint64_t seed,
                        uint64_t long_share = 32);

/// A text made of both: lines of `second` within `first`, the head of one with the tail of the
/// other, or lines of both in turn. It has at most `max_size` bytes and depends on the arguments
/// alone.
std::string SpliceTexts(std::string_view first, std::string_view second, size_t max_size,
                        uint64_t seed);

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_FUZZ_STRETCHING_MUTATOR_H_
