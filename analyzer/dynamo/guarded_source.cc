#include "dynamo/guarded_source.h"

#include <charconv>

namespace shapewise {
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
