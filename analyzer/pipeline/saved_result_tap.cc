#include "pipeline/saved_result_tap.h"

#include <algorithm>
#include <utility>

#include "saved/saved_result.h"

namespace shapewise {
namespace {

// Enough bytes for LooksSaved.
constexpr size_t kHeadBytes = 256;

/// Buffers the head of a text until its kind is known.
class TapSink final : public LineSink {
 public:
  explicit TapSink(LineSink& sink) : sink_(sink) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    if (state_ == State::kPassing) return sink_.OnLines(lines, first_line);
    Keep(lines);
    if (state_ == State::kDeciding) Decide();
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    if (state_ == State::kDeciding) {
      // A piece is longer than a head, so the kind is known.
      if (LooksSaved(text_ + std::string(piece.substr(0, kHeadBytes)))) {
        state_ = State::kKeeping;
      } else {
        Release();
      }
    }
    if (state_ == State::kPassing) return sink_.OnPiece(piece, line, is_first, is_last);
    Keep(piece);
    if (is_last) Keep("\n");
    return piece.size();
  }

  /// The text of a saved result; a head that was too short is passed on.
  bool Finish(std::string& text) {
    if (state_ == State::kDeciding) Release();
    if (state_ == State::kPassing) return false;
    text = std::move(text_);
    return true;
  }

 private:
  enum class State : uint8_t { kDeciding, kPassing, kKeeping };

  void Keep(std::string_view text) {
    const size_t room = kMaxSavedBytes + 1 - std::min(text_.size(), kMaxSavedBytes + 1);
    text_ += text.substr(0, room);
  }

  void Decide() {
    if (LooksSaved(text_)) {
      state_ = State::kKeeping;
    } else if (text_.size() >= kHeadBytes || !text_.starts_with('{')) {
      Release();
    }
  }

  // The buffer contains whole lines from the start.
  void Release() {
    state_ = State::kPassing;
    if (!text_.empty()) sink_.OnLines(text_, 1);
    text_.clear();
  }

  LineSink& sink_;
  State state_ = State::kDeciding;
  std::string text_;
};

}  // namespace

Error SavedResultTap::Read(const std::string& path, LineSink& sink, Stats& stats, uint32_t input,
                           TextTotals& totals) {
  TapSink tap(sink);
  Error error = files_.Read(path, tap, stats, input, totals);
  std::string text;
  if (!tap.Finish(text)) return error;
  const std::scoped_lock lock(mutex_);
  const auto place = std::ranges::upper_bound(saved_, path, {}, &Saved::name);
  saved_.insert(place, {path, std::move(text)});
  return error;
}

}  // namespace shapewise
