// Tables of step times: two columns, a step or a moment and how long the step took.

#ifndef SHAPEWISE_INGEST_FORMATS_STEP_TIMES_STEP_TIMES_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_STEP_TIMES_STEP_TIMES_FORMAT_H_

#include <memory>

#include "ingest/log_format.h"

namespace shapewise {

std::unique_ptr<LogFormat> NewStepTimesFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_STEP_TIMES_STEP_TIMES_FORMAT_H_
