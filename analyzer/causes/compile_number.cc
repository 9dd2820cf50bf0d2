#include "causes/compile_number.h"

#include "shapewise/support/text_scan.h"

namespace shapewise {

std::optional<CompileNumber> ParseCompileNumber(std::string_view compile_id) {
  if (ConsumeFront(compile_id, "!")) {
    if (!ConsumeUint<uint32_t>(compile_id) || !ConsumeFront(compile_id, "/")) return std::nullopt;
  }
  const std::optional<uint32_t> frame = ConsumeUint<uint32_t>(compile_id);
  if (!frame || !ConsumeFront(compile_id, "/")) return std::nullopt;
  const std::optional<uint32_t> compile = ConsumeUint<uint32_t>(compile_id);
  if (!compile) return std::nullopt;
  return CompileNumber{*frame, *compile};
}

}  // namespace shapewise
