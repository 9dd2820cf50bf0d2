#include "ingest/messages/xla_frame.h"

#include "shapewise/model/library_file.h"

namespace shapewise {

bool ParseXlaFrame(std::string_view text, CodePlace& place) {
  const size_t open = text.rfind(" (");
  if (open == std::string_view::npos) return false;
  place = SplitFileLine(text.substr(open + 2));
  place.function = text.substr(0, open);
  return true;
}

void AddXlaFrame(const CodePlace& place, ParseContext& context, EventDetail& detail) {
  if (detail.user_file == StrId::kNone) context.SetUserPlace(place, detail);
  if (detail.trigger_file != StrId::kNone || IsLibraryFile(place.file)) return;
  detail.trigger_file = context.Intern(place.file);
  detail.trigger_line = place.line;
  detail.trigger_function = context.Intern(place.function);
}

}  // namespace shapewise
