// The account of one input that holds a record a line.

#ifndef SHAPEWISE_PIPELINE_RECORD_FILE_H_
#define SHAPEWISE_PIPELINE_RECORD_FILE_H_

#include <string>

#include "shapewise/ingest/json_line_totals.h"

namespace shapewise {

/// What became of one file that holds a record a line.
struct RecordFile {
  std::string path;
  JsonLineTotals totals;
};

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_RECORD_FILE_H_
