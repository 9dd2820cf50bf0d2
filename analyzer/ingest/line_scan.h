// What can be told of lines before they are read, by any thread.

#ifndef SHAPEWISE_INGEST_LINE_SCAN_H_
#define SHAPEWISE_INGEST_LINE_SCAN_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace shapewise {

/// The lines of a block that hold something, in their order.
struct LineScan {
  struct Find {
    uint32_t offset = 0;  ///< in the block, of what was found first in the line
    uint32_t line = 0;    ///< lines of the block before this one
  };
  std::vector<Find> finds;
};

/// Finds lines that its reader has to look at. Several threads may scan at a time: it knows nothing
/// but the block.
class LineScanner {
 public:
  virtual ~LineScanner() = default;

  /// Replaces what is in `scan` by what is found in `lines`, whole lines of less than 4 GiB.
  virtual void Scan(std::string_view lines, LineScan& scan) const = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_LINE_SCAN_H_
