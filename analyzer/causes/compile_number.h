// Compile ids, as far as folding needs them.

#ifndef SHAPEWISE_CAUSES_COMPILE_NUMBER_H_
#define SHAPEWISE_CAUSES_COMPILE_NUMBER_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace shapewise {

/// The frame and its how manieth compile: "0/1" and the restarted attempt "0/1_2" are the same.
struct CompileNumber {
  uint32_t frame = 0;
  uint32_t compile = 0;

  friend auto operator<=>(const CompileNumber&, const CompileNumber&) = default;
};

/// Takes "0/1", "0/1_2" or "!0/3/0" (under compiled autograd) apart; absent for everything else,
/// such as the "!1" of compiled autograd itself.
std::optional<CompileNumber> ParseCompileNumber(std::string_view compile_id);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_COMPILE_NUMBER_H_
