// Archives and pickles that hold no graph: recognised to say what they are, and what to do.

#ifndef SHAPEWISE_INGEST_FORMATS_OTHER_ARCHIVE_OTHER_ARCHIVE_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_OTHER_ARCHIVE_OTHER_ARCHIVE_FORMAT_H_

#include <memory>

#include "ingest/graph_format.h"

namespace shapewise {

/// Refuses every zip archive and every pickle; stands behind the forms that read some of them.
std::unique_ptr<GraphFormat> NewOtherArchiveFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_OTHER_ARCHIVE_OTHER_ARCHIVE_FORMAT_H_
