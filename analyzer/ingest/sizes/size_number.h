// One size, as a field of a text.

#ifndef SHAPEWISE_INGEST_SIZES_SIZE_NUMBER_H_
#define SHAPEWISE_INGEST_SIZES_SIZE_NUMBER_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

/// Reads a size, or a count of calls if `most` says so: "12", "12.0", "1.2e1", within blanks or
/// quotes. Returns what it is instead, as the end of a sentence: "is no number"; empty: it is one.
std::string_view ParseWholeNumber(std::string_view text, uint64_t most, uint64_t& value);

/// The same of a number that was read already.
std::string_view CheckWholeNumber(double number, uint64_t most, uint64_t& value);

/// `text` is a number of any kind.
bool IsNumber(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SIZES_SIZE_NUMBER_H_
