// Which lines belong to a record under way, kind by kind.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_RECORD_GRAMMAR_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_RECORD_GRAMMAR_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/messages/record.h"

namespace shapewise {

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

/// Whether `text` is a bullet of a recompile record that names its cache entry: "- 0/1: ".
bool IsEntryBullet(std::string_view text);

/// Whether messages of `kind` have the text of a graph break.
bool HasBreakText(RecordKind kind);

/// Where the next line of a message begins in `text` after `from`, onto which several lines were
/// flattened; kNotFound if there is no other.
size_t FindFlattenedLine(RecordKind kind, std::string_view text, size_t from);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_RECORD_GRAMMAR_H_
