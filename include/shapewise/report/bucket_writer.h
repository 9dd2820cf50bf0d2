// The forms in which a plan of buckets can be printed. They decide nothing.

#ifndef SHAPEWISE_REPORT_BUCKET_WRITER_H_
#define SHAPEWISE_REPORT_BUCKET_WRITER_H_

#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// One form. Stateless; the same report gives the same bytes.
class BucketWriter {
 public:
  virtual ~BucketWriter() = default;

  /// The value of --format or --emit: "text".
  virtual std::string_view name() const = 0;

  /// Prints `report`. Texts that came from an input are made harmless for where they go.
  virtual void Write(const BucketReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// Every form of --format, the default first: text, json, svg. They live as long as the program.
const std::vector<const BucketWriter*>& BucketWriters();

/// Every form of --emit: the plan as text to paste, for one consumer each.
const std::vector<const BucketWriter*>& BucketEmitters();

/// The form of --format called `name`; null if there is none.
const BucketWriter* FindBucketWriter(std::string_view name);

/// The form of --emit called `name`; null if there is none. "json" is a form of both.
const BucketWriter* FindBucketEmitter(std::string_view name);

/// Text to paste.
struct BucketSnippet {
  std::string consumer;  ///< "pytorch", "vllm", "huggingface" ...
  std::string source;    ///< the documentation or program that its form was taken from
  std::string text;      ///< ends with a newline
};

/// What the emitters print, but for plain JSON, which a result in JSON is already.
std::vector<BucketSnippet> BucketSnippets(const BucketReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_WRITER_H_
