#include "causes/compile_number.h"

#include <limits>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

std::optional<uint32_t> ConsumeNumber(std::string_view& text) {
  const std::optional<uint64_t> number = ConsumeUint(text);
  if (!number || *number > std::numeric_limits<uint32_t>::max()) return std::nullopt;
  return static_cast<uint32_t>(*number);
}

}  // namespace

std::optional<CompileNumber> ParseCompileNumber(std::string_view compile_id) {
  if (ConsumeFront(compile_id, "!")) {
    if (!ConsumeNumber(compile_id) || !ConsumeFront(compile_id, "/")) return std::nullopt;
  }
  const std::optional<uint32_t> frame = ConsumeNumber(compile_id);
  if (!frame || !ConsumeFront(compile_id, "/")) return std::nullopt;
  const std::optional<uint32_t> compile = ConsumeNumber(compile_id);
  if (!compile) return std::nullopt;
  return CompileNumber{*frame, *compile};
}

}  // namespace shapewise
