// Lines that hold nothing but numbers.

#ifndef SHAPEWISE_INGEST_SIZES_NUMBER_LINES_H_
#define SHAPEWISE_INGEST_SIZES_NUMBER_LINES_H_

#include <array>
#include <cstddef>
#include <string_view>

namespace shapewise {

/// More columns than these are no column of numbers that anybody names by its place.
using NumberFields = std::array<std::string_view, 64>;

/// Splits `text` at commas, semicolons and blanks. Returns how many fields there are; those beyond
/// the room are not kept.
size_t SplitNumbers(std::string_view text, NumberFields& fields);

/// All fields of `text` are numbers, and there is one at least.
bool IsNumberRow(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SIZES_NUMBER_LINES_H_
