// Partials: what was read elsewhere, in another run of this program.

#ifndef SHAPEWISE_INGEST_FORMATS_PARTIAL_PARTIAL_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_PARTIAL_PARTIAL_FORMAT_H_

#include <memory>

#include "ingest/log_format.h"

namespace shapewise {

/// "partial": the inputs that it was made of take its place.
std::unique_ptr<LogFormat> NewPartialFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_PARTIAL_PARTIAL_FORMAT_H_
