// The table of the messages that are read: how each begins, which lines go on with it, what parses
// it. analyzer/docs/reading-logs.md shows how to add a wording.

#ifndef SHAPEWISE_INGEST_MESSAGES_MESSAGE_TABLE_H_
#define SHAPEWISE_INGEST_MESSAGES_MESSAGE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/messages/record.h"

namespace shapewise {

/// What the prefix of a line says of where its text comes from; nothing, if there is no prefix.
struct MessageSource {
  std::string_view emitter;     ///< "torch/_dynamo/guards.py:2813" or the logger's name
  std::string_view compile_id;  ///< "0/1", "0/1_1", "!0/3/0"; empty: none
  std::string_view artifact;    ///< "recompiles"; empty: none
  bool names_torch = false;     ///< the emitter is a file or logger of torch
};

/// A message found in a text: its kind and where it begins.
struct MessageStart {
  RecordKind kind = RecordKind::kNone;
  size_t offset = 0;
  bool raised = false;  ///< the message is the text of an exception
};

/// The message that begins at the front of `text` (blanks apart), the text of a line from `source`.
/// kNone if none does.
RecordKind MessageAtFront(std::string_view text, const MessageSource& source);

/// The message that begins in `text`, a line without a prefix of torch's: at its front, or after
/// other text if its first words are distinctive. kNone if none does.
MessageStart FindMessage(std::string_view text);

/// Whether `text` is only the first letters of the first words of a message, or of a line inside of
/// one: it was wrapped right there.
bool IsCutMessageStart(std::string_view text);

/// Whether `text`, which begins no message, is all the same something that torch's compiler
/// printed.
bool IsTorchText(std::string_view text);

/// Whether a line that no record contains has one of the marks of docs/log-formats/torch-log.md:
/// torch.compile printed it about a graph break, a recompile, a limit or an exception.
bool IsUnknownMessage(std::string_view text, const MessageSource& source);

/// Whether `artifact` prints nothing but breaks and recompiles.
bool PrintsOnlyRecords(std::string_view artifact);

/// Whether `text` is one of the last lines of a limit warning, which no other message has.
bool EndsLimitWarning(std::string_view text);

/// Literals one of which every line contains that is read at all when no record is open.
std::vector<std::string_view> MessageLiterals();

/// Whether a message of `kind` that begins with the line `text` has one line, which nothing
/// follows.
bool IsOneLine(RecordKind kind, std::string_view text);

/// How the prefix of a line compares with the one of a record's first line.
enum class PrefixMatch : uint8_t {
  kSame,    ///< all of it, as on every line of one message
  kSameId,  ///< the compile id, or one of the two has none
  kOther,
};

/// Whether `text`, a line with torch's prefix, goes on with `record`.
bool ContinuesPrefixed(const Record& record, std::string_view text, PrefixMatch match);

/// Whether `text`, a line without a prefix that follows directly, goes on with `record`.
/// Indentation is part of `text`.
bool ContinuesBare(const Record& record, std::string_view text);

/// Whether `text` begins with the words of a line inside of a message of `kind`, such as
/// "last reason: ". kNone: of any.
bool BeginsInnerLine(RecordKind kind, std::string_view text);

/// Whether messages of `kind` have the text of a graph break.
bool HasBreakText(RecordKind kind);

/// Where the next line of a message begins in `text` after `from`, onto which several lines were
/// flattened; kNotFound if there is no other.
size_t FindFlattenedLine(RecordKind kind, std::string_view text, size_t from);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_MESSAGE_TABLE_H_
