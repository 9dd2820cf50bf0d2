#include "ingest/input_ends.h"

#include <utility>

namespace shapewise {

void InputEnds::Set(const std::string& name, std::string_view end) {
  const size_t begin = end.rfind("Traceback (most recent call last):");
  if (begin == end.npos) return;
  const std::scoped_lock lock(mutex_);
  ends_[name] = end.substr(begin);
}

std::string InputEnds::Of(const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = ends_.find(name);
  return found == ends_.end() ? std::string() : found->second;
}

void EndKeeper::OnLines(std::string_view lines, uint64_t first_line) {
  Keep(lines);
  next_.OnLines(lines, first_line);
}

size_t EndKeeper::OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) {
  const size_t consumed = next_.OnPiece(piece, line, is_first, is_last);
  Keep(is_last ? piece : piece.substr(0, consumed));
  if (is_last) Keep("\n");
  return consumed;
}

std::string EndKeeper::TakeEnd() {
  if (end_.size() > InputEnds::kMaxBytes) end_.erase(0, end_.size() - InputEnds::kMaxBytes);
  return std::exchange(end_, {});
}

void EndKeeper::Keep(std::string_view text) {
  constexpr size_t kMost = InputEnds::kMaxBytes;
  if (text.size() >= kMost) {
    end_ = text.substr(text.size() - kMost);
    return;
  }
  // Cut now and then, so that each byte is moved at most once more.
  if (end_.size() + text.size() > 2 * kMost) end_.erase(0, end_.size() + text.size() - kMost);
  end_ += text;
}

}  // namespace shapewise
