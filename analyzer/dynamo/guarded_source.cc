#include "dynamo/guarded_source.h"

#include <charconv>

namespace shapewise {
SplitSource SplitSizeSource(std::string_view text) {
  constexpr std::string_view kOffset = ".storage_offset()";
  if (text.ends_with(kOffset)) {
    return {.source = text.substr(0, text.size() - kOffset.size()),
            .property = SplitSource::Property::kStorageOffset};
  }
  const auto split = [&](std::string_view middle, SplitSource::Property property) {
    SplitSource result{.source = text};
    const size_t at = text.rfind(middle);
    if (at == std::string_view::npos || !text.ends_with("]")) return result;
    const char* begin = text.data() + at + middle.size();
    const char* end = text.data() + text.size() - 1;
    int32_t dim = -1;
    const auto [stop, error] = std::from_chars(begin, end, dim);
    if (error != std::errc() || stop != end || dim < 0) return result;
    return SplitSource{.source = text.substr(0, at), .property = property, .dim = dim};
  };
  const SplitSource size = split(".size()[", SplitSource::Property::kSize);
  if (size.property == SplitSource::Property::kSize) return size;
  return split(".stride()[", SplitSource::Property::kStride);
}

}  // namespace shapewise
