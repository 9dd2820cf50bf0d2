// The buffer behind a message under way.

#include "ingest/messages/record.h"

namespace shapewise {

void Record::Reset() {
  kind = RecordKind::kNone;
  origin = RecordOrigin{};
  compile_id.clear();
  emitter.clear();
  artifact.clear();
  prefixed = false;
  raised = false;
  text_.clear();
  lines_.clear();
}

bool Record::AddLine(std::string_view text, bool bare) {
  if (text_.size() + text.size() > kMaxBytes) return false;
  lines_.push_back({static_cast<uint32_t>(text_.size()), static_cast<uint32_t>(text.size()), bare});
  text_.append(text);
  return true;
}

void Record::ExtendLastLine(std::string_view text) {
  if (lines_.empty() || text_.size() + text.size() > kMaxBytes) return;
  text_.append(text);
  lines_.back().size += static_cast<uint32_t>(text.size());
}

}  // namespace shapewise
