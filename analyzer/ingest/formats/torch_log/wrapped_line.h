// Lines wrapped by terminals, mail programs and editors: where one stops early, and how the next
// one continues it. LineFramer joins wrapped lines before their message is known, MessageFramer the
// last line of the current message; both use this.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_WRAPPED_LINE_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_WRAPPED_LINE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/messages/message_table.h"

namespace shapewise {

/// Maximum line width used by people and editors; wider lines were wrapped by a terminal.
inline constexpr size_t kMaxFilled = 90;

/// Terminals and documents are at least this wide; shorter lines were not wrapped by one.
inline constexpr size_t kMinWrapWidth = 60;

/// Where a line was wrapped, as far as the line and its tail show it.
enum class WrapPlace : uint8_t {
  kUnknown,
  kInWord,   ///< as terminals do
  kAtBlank,  ///< which was removed, as editors do
};

/// The line widths of one input, as far as it has been read.
class WrapWidths {
 public:
  /// A torch line was read.
  void NoteLine(size_t width);

  /// A line of this width was wrapped.
  void NoteWrap(size_t width, WrapPlace place);

  /// Whether other lines of this width were wrapped.
  bool IsFull(size_t width) const { return width != 0 && width == wrapped_at_; }
  /// Whether no line is wider.
  bool IsWidest(size_t width) const { return width == widest_; }
  /// Whether lines are wrapped at blanks, and the first word of `tail` does not fit on a line of
  /// this width.
  bool IsFullBefore(size_t width, std::string_view tail) const;
  /// Where `line`, which was `width` bytes wide, was probably wrapped before `tail`, which
  /// `is_indented` or not.
  WrapPlace FindPlace(size_t width, std::string_view line, std::string_view tail,
                      bool is_indented) const;

 private:
  bool IsAtBlank(size_t width, std::string_view line, std::string_view tail) const;
  bool WrapsAtBlanks() const { return !splits_words_ && narrowest_ + 1 < widest_; }

  size_t wrapped_at_ = 0;            // 0: not known
  size_t narrowest_ = SIZE_MAX / 2;  // of the lines wrapped at a blank
  bool splits_words_ = false;
  size_t widest_ = 0;        // of torch's lines
  uint64_t num_widest_ = 0;  // number of lines with that width
};

/// Whether a line of a message stops before what its first words announce: a place without its
/// number, a reason with an open bracket, a link without its end.
bool LacksItsEnd(std::string_view line);

/// Whether `line` ends with the address of a page about the message, which is the last of a
/// message.
bool EndsWithPage(std::string_view line);

/// Whether `tail` begins with an attribute of what stands before it, "._modules['0']", at which
/// people break long sources.
bool BeginsAccess(std::string_view tail);

/// Whether `line`, which was `width` bytes wide, stops before its end, or does if `tail` follows.
bool GoesOnWith(std::string_view line, size_t width, std::string_view tail);

/// Whether `tail` may be the end of `line`, a line of a break: not after a complete one.
bool IsOpenLine(std::string_view line, std::string_view tail);

/// Whether the comment after a guard stops before the place in code that it ends with.
bool HasCutComment(std::string_view line);

/// Whether a paragraph of a break's text may continue on the next line, which is never marked.
bool IsParagraph(std::string_view line);

/// Whether `text`, a line without labels of launchers, is a truncated torch prefix.
bool IsCutPrefix(std::string_view text);

/// Whether `text` is only a part of the first words of a message, or of an inner line.
bool IsCutStart(std::string_view text);

/// Whether the text after a prefix is empty or part of a tag or of first words: it was wrapped.
bool IsCutText(std::string_view text, const MessageSource& source);

/// Whether a line without a prefix may be the tail of a wrapped one: no message begins in it.
bool MayBeTail(std::string_view text);

/// Where `line` was wrapped before `tail`.
WrapPlace FindWrapPlace(std::string_view line, std::string_view tail);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_WRAPPED_LINE_H_
