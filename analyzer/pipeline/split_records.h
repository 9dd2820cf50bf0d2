// Separates call records from logs when a user passes both.

#ifndef SHAPEWISE_PIPELINE_SPLIT_RECORDS_H_
#define SHAPEWISE_PIPELINE_SPLIT_RECORDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "support/text_input.h"

namespace shapewise {

/// The paths of a run by content.
struct SplitInputs {
  std::vector<std::string> records;  ///< files of call records, in the given order
  std::vector<std::string> others;   ///< everything else; unchanged if it contains no records
  std::vector<std::string> unread;   ///< one message per path that could not be expanded
};

/// Classifies `paths` (files, folders, "-"). Records are files named *.jsonl, *.ndjson or
/// *.json, compressed or not, that begin with a record.
SplitInputs SplitRecords(const std::vector<std::string>& paths, FileSource& files);

/// Whether `line`, the first of a file, is a call record or the header of such a file.
bool IsCallRecordLine(std::string_view line);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_SPLIT_RECORDS_H_
