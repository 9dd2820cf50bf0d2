#include "dynamo/guarded_source.h"

#include <charconv>

#include "llvm/ADT/StringExtras.h"

namespace shapewise {
namespace {

bool IsNameChar(char c) { return llvm::isAlnum(c) || c == '_'; }

}  // namespace

std::string FullSource(std::string_view source) {
  if (source.empty() || !IsNameChar(source.front()) || llvm::isDigit(source.front())) {
    return std::string(source);
  }
  size_t end = 0;
  while (end < source.size() && IsNameChar(source[end])) ++end;
  const std::string_view name = source.substr(0, end);
  const std::string_view rest = source.substr(end);
  if ((name == "L" || name == "G") && rest.starts_with("[")) return std::string(source);
  if (rest.starts_with("(")) return std::string(source);  // a call, such as utils_device()
  return "L['" + std::string(name) + "']" + std::string(rest);
}

SizeSource SplitSizeSource(std::string_view text) {
  constexpr std::string_view kOffset = ".storage_offset()";
  if (text.ends_with(kOffset)) {
    return {.source = text.substr(0, text.size() - kOffset.size()),
            .property = SizeSource::Property::kStorageOffset};
  }
  const auto split = [&](std::string_view middle, SizeSource::Property property) {
    SizeSource result{.source = text};
    const size_t at = text.rfind(middle);
    if (at == std::string_view::npos || !text.ends_with("]")) return result;
    const char* begin = text.data() + at + middle.size();
    const char* end = text.data() + text.size() - 1;
    int32_t dim = -1;
    const auto [stop, error] = std::from_chars(begin, end, dim);
    if (error != std::errc() || stop != end || dim < 0) return result;
    return SizeSource{.source = text.substr(0, at), .property = property, .dim = dim};
  };
  const SizeSource size = split(".size()[", SizeSource::Property::kSize);
  if (size.property == SizeSource::Property::kSize) return size;
  return split(".stride()[", SizeSource::Property::kStride);
}

}  // namespace shapewise
