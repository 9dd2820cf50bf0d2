// Which lines belong to a record under way, kind by kind.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_RECORD_GRAMMAR_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_RECORD_GRAMMAR_H_

#include <string_view>

#include "ingest/messages/record.h"

namespace shapewise {

/// Whether a message of `kind` that begins with the line `text` has one line, which nothing
/// follows.
bool IsOneLine(RecordKind kind, std::string_view text);

/// Whether `text`, a line with torch's prefix, goes on with `record`. `same_prefix`: the whole
/// prefix equals the one of the record's first line, as it does on every line of one message.
bool ContinuesPrefixed(const Record& record, std::string_view text, bool same_prefix);

/// Whether `text`, a line without a prefix that follows directly, goes on with `record`.
/// Indentation is part of `text`.
bool ContinuesBare(const Record& record, std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_RECORD_GRAMMAR_H_
