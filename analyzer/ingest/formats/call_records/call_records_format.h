// Call records among logs, as in the folder of a run: known, and passed over.

#ifndef SHAPEWISE_INGEST_FORMATS_CALL_RECORDS_CALL_RECORDS_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_CALL_RECORDS_CALL_RECORDS_FORMAT_H_

#include <memory>

#include "ingest/log_format.h"

namespace shapewise {

std::unique_ptr<LogFormat> NewCallRecordsFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_CALL_RECORDS_CALL_RECORDS_FORMAT_H_
