// Call records and logs, told apart where a user names both at once.

#ifndef SHAPEWISE_PIPELINE_SPLIT_RECORDS_H_
#define SHAPEWISE_PIPELINE_SPLIT_RECORDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "shapewise/support/text_input.h"

namespace shapewise {

/// Paths of a run by what they hold.
struct SplitInputs {
  std::vector<std::string> records;  ///< files of call records, in the order in which they came
  std::vector<std::string> others;   ///< everything else, as given where no record was in it
  std::vector<std::string> unread;   ///< one message a path that could not be expanded
};

/// Sorts `paths` (files, folders, "-"). Records are files that are called *.jsonl, *.ndjson or
/// *.json, compressed or not, and begin with a record.
SplitInputs SplitRecords(const std::vector<std::string>& paths, FileSource& files);

/// Whether `line`, the first of a file, is a call record or the head of such a file.
bool IsCallRecordLine(std::string_view line);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_SPLIT_RECORDS_H_
