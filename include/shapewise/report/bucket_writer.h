// Output formats of bucket plans. They decide nothing.

#ifndef SHAPEWISE_REPORT_BUCKET_WRITER_H_
#define SHAPEWISE_REPORT_BUCKET_WRITER_H_

#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// A format. Stateless; equal reports give equal bytes.
class BucketWriter {
 public:
  virtual ~BucketWriter() = default;

  /// The value of --format or --emit: "text".
  virtual std::string_view name() const = 0;

  /// Prints `report`. Texts from inputs are escaped for the format.
  virtual void Write(const BucketReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// All formats of --format, the default first: text, json, svg. They live as long as the program.
const std::vector<const BucketWriter*>& BucketWriters();

/// All formats of --emit: the plan as text to paste, one for each consumer.
const std::vector<const BucketWriter*>& BucketEmitters();

/// The --format format called `name`; null: none.
const BucketWriter* FindBucketWriter(std::string_view name);

/// The --emit format called `name`; null: none. "json" is in both lists.
const BucketWriter* FindBucketEmitter(std::string_view name);

/// Text to paste.
struct BucketSnippet {
  std::string consumer;  ///< "pytorch", "vllm", "huggingface" ...
  std::string source;    ///< the documentation or program that defines its form
  std::string text;      ///< ends with a newline
};

/// The output of all emitters except plain JSON, which a JSON result already is.
std::vector<BucketSnippet> BucketSnippets(const BucketReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_WRITER_H_
