// Stages of the pipeline that turns bytes of an input into lines.

#ifndef SHAPEWISE_ANALYZER_SUPPORT_BYTE_STAGE_H_
#define SHAPEWISE_ANALYZER_SUPPORT_BYTE_STAGE_H_

#include <algorithm>
#include <string>
#include <string_view>

namespace shapewise {

/// Takes the bytes of one input in order, split anywhere.
class ByteStage {
 public:
  virtual ~ByteStage() = default;

  virtual void Append(std::string_view bytes) = 0;

  /// Ends the input. Call once, last.
  virtual void Finish() = 0;
};

/// A stage that inspects the first bytes before it decides how to process all of them.
class SniffingStage : public ByteStage {
 public:
  void Append(std::string_view bytes) final {
    if (!has_begun_) {
      if (!head_.empty() || bytes.size() < head_size_) {
        const size_t missing = std::min(head_size_ - head_.size(), bytes.size());
        head_.append(bytes.substr(0, missing));
        bytes.remove_prefix(missing);
        if (head_.size() < head_size_) return;
        Begin();
      } else {
        has_begun_ = true;
        Sniff(bytes);
      }
    }
    if (!bytes.empty()) Take(bytes);
  }

  void Finish() final {
    if (!has_begun_) Begin();
    End();
  }

 protected:
  /// `head_size`: number of bytes to inspect.
  explicit SniffingStage(size_t head_size) : head_size_(head_size) {}

 private:
  /// Called once, before Take. `bytes` may be longer than the head, and is shorter only if the
  /// input is.
  virtual void Sniff(std::string_view bytes) = 0;

  /// Takes bytes, including the head.
  virtual void Take(std::string_view bytes) = 0;

  virtual void End() = 0;

  void Begin() {
    has_begun_ = true;
    Sniff(head_);
    if (!head_.empty()) Take(head_);
  }

  const size_t head_size_;
  bool has_begun_ = false;
  std::string head_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SUPPORT_BYTE_STAGE_H_
