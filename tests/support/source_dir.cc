#include "support/source_dir.h"

namespace shapewise {

std::string SourceDir() { return SHAPEWISE_SOURCE_DIR; }

}  // namespace shapewise
