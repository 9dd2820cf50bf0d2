#include "ingest/sizes/size_source.h"

#include <charconv>

#include "shapewise/model/call_history_builder.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {

SizeSource ParseSizeSource(std::string_view text) {
  text = Trim(text);
  SizeSource source;
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    int64_t dim = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), dim);
    if (error == std::errc() && end == digits.data() + digits.size()) {
      source.dim = dim;
      text = text.substr(0, colon);
    }
  }
  source.name = NameOfSource(SourceOfName(text));
  return source;
}

}  // namespace shapewise
