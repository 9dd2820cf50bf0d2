// Archives of torch.export.save: exported programs, in the layouts of 2.1 to 2.7 and of 2.8 on.

#ifndef SHAPEWISE_INGEST_FORMATS_PT2_PT2_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_PT2_PT2_FORMAT_H_

#include <memory>

#include "ingest/graph_format.h"

namespace shapewise {

std::unique_ptr<GraphFormat> NewPt2Format();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_PT2_PT2_FORMAT_H_
