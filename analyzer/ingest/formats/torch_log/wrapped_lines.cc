// Tells wrapped and labelled lines by what is missing in them.

#include "ingest/formats/torch_log/wrapped_lines.h"

#include <algorithm>

#include "ingest/messages/frame_line.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {

bool IsSameCarrier(std::string_view carrier, std::string_view text) {
  if (carrier.empty() || text.size() < carrier.size()) return false;
  for (size_t i = 0; i < carrier.size(); ++i) {
    if (carrier[i] != text[i] && !(IsDigit(carrier[i]) && IsDigit(text[i]))) return false;
  }
  return true;
}

bool HasLostItsTail(std::string_view line) {
  line = Trim(line);
  if (line.starts_with("File \"")) {
    CodePlace place;
    return !ParseFrameLine(line, place) || place.line == 0 || line.ends_with(", in");
  }
  if (HasText(line, "please visit: http")) return !line.ends_with(".html");
  return line.starts_with("Explanation: ") || line.starts_with("Hint: ") ||
         line.starts_with("Developer debug context: ");
}

bool IsOwnLine(std::string_view text) {
  for (const std::string_view head :
       {"User code traceback", "from user code", "Set TORCH",
        "Hint:", "Explanation:", "Developer debug", "Traceback (most", "torch."}) {
    if (text.starts_with(head)) return true;
  }
  return false;
}

bool LooksCut(const Record& record) {
  const std::string_view text = Trim(record.last_line());
  const bool ends_in_place = [&] {
    size_t digits = text.size();
    while (digits > 0 && IsDigit(text[digits - 1])) --digits;
    return digits < text.size() && digits > 0 && text[digits - 1] == ':';
  }();
  const bool lacks_actual =
      HasText(text, "tensor '") && !HasText(text, ", actual ") && !HasText(text, "requires_grad");
  switch (record.kind) {
    case RecordKind::kLimit:
      if (text.starts_with("torch._dynamo hit config.") && !HasText(text, "(")) return true;
      return lacks_actual ||
             std::count(text.begin(), text.end(), '(') > std::count(text.begin(), text.end(), ')');
    case RecordKind::kRecompile:
      if (record.num_lines() == 1) return !ends_in_place && !HasText(text, "guard failure");
      return lacks_actual;
    case RecordKind::kGraphBreak:
      return record.num_lines() == 1 && HasText(text, "in user code at ") && !ends_in_place;
    default:
      return false;
  }
}

}  // namespace shapewise
