// The table of known messages: how each begins, which lines continue it, how it is parsed.
// analyzer/docs/reading-logs.md shows how to add a wording.

#ifndef SHAPEWISE_INGEST_MESSAGES_MESSAGE_TABLE_H_
#define SHAPEWISE_INGEST_MESSAGES_MESSAGE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/messages/record.h"
#include "support/text_scan.h"

namespace shapewise {

/// Where the text of a line comes from, according to its prefix; empty without a prefix.
struct MessageSource {
  std::string_view emitter;     ///< "torch/_dynamo/guards.py:2813" or the logger's name
  std::string_view compile_id;  ///< "0/1", "0/1_1", "!0/3/0"; empty: none
  std::string_view artifact;    ///< "recompiles"; empty: none
  bool names_torch = false;     ///< the emitter is a file or logger of torch
};

/// A message found in a text: its kind and position.
struct MessageStart {
  RecordKind kind = RecordKind::kNone;
  size_t offset = 0;
  bool raised = false;     ///< the message is the text of an exception
  size_t end = kNotFound;  ///< of the code in prose that is the message; kNotFound: the line's
};

/// Whether lines were left out here: "...", "[…]", "<snip>", "(120 lines omitted)".
bool IsEllipsis(std::string_view trimmed);

/// The message that begins at the front of `text` (ignoring blanks), the text of a line from
/// `source`. kNone if there is no message.
RecordKind MessageAtFront(std::string_view text, const MessageSource& source);

/// The message that begins in `text`, a line without a torch prefix: at its front, or after other
/// text if its first words are distinctive. kNone if there is no message.
MessageStart FindMessage(std::string_view text);

/// Whether `text` is only the first letters of the first words of a message, or of an inner line:
/// it was wrapped there.
bool IsCutMessageStart(std::string_view text);

/// Whether `text`, which begins no message, was nevertheless printed by torch's compiler.
bool IsTorchText(std::string_view text);

/// Whether a line that no record contains has one of the marks of docs/log-formats/torch-log.md:
/// torch.compile printed it about a graph break, a recompile, a limit or an exception.
bool IsUnknownMessage(std::string_view text, const MessageSource& source);

/// Whether `artifact` prints nothing but breaks and recompiles.
bool PrintsOnlyRecords(std::string_view artifact);

/// Whether messages of `artifact` are read; empty: a message without one.
bool ReadsArtifact(std::string_view artifact);

/// Whether `text` is one of the last lines of a limit warning, which occur in no other message.
bool EndsLimitWarning(std::string_view text);

/// Literals of relevant lines: every line that is read while no record is open contains one.
std::vector<std::string_view> MessageLiterals();

/// Whether a message of `kind` that begins with the line `text` has one line, which nothing
/// follows.
bool IsOneLine(RecordKind kind, std::string_view text);

/// How the prefix of a line compares with that of a record's first line.
enum class PrefixMatch : uint8_t {
  kSame,    ///< all of it, as on every line of one message
  kSameId,  ///< the compile id, or only one of the two has an id
  kOther,
};

/// Whether `text`, a line with torch's prefix, continues `record`.
bool ContinuesPrefixed(const Record& record, std::string_view text, PrefixMatch match);

/// Whether `text`, a line without a prefix that follows directly, continues `record`. Indentation
/// is part of `text`.
bool ContinuesBare(const Record& record, std::string_view text);

/// Whether `text` begins with the words of an inner line of a message of `kind`, such as "last
/// reason: ". kNone: of any kind.
bool BeginsInnerLine(RecordKind kind, std::string_view text);

/// Whether `text` begins the part of an exception of the compiler that lists the user's code.
bool BeginsUserCode(std::string_view text);

/// Whether `text` is that, or closes it.
bool ShowsUserCode(std::string_view text);

/// Whether messages of `kind` contain the text of a graph break.
bool HasBreakText(RecordKind kind);

/// Where the next line of a message begins in `text` after `from`, onto which several lines were
/// joined; kNotFound if there is no other.
size_t FindFlattenedLine(RecordKind kind, std::string_view text, size_t from);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_MESSAGE_TABLE_H_
