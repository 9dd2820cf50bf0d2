// Dims of arguments, as users name them.

#ifndef SHAPEWISE_INGEST_SIZES_SIZE_SOURCE_H_
#define SHAPEWISE_INGEST_SIZES_SIZE_SOURCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shapewise {

/// "x:1": dim 1 of x; "x:-1": its last; "n": the number n itself.
struct SizeSource {
  std::string name;  ///< as NameOfSource() gives it
  std::optional<int64_t> dim;
};

/// Never fails: what holds no dim names a number.
SizeSource ParseSizeSource(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SIZES_SIZE_SOURCE_H_
