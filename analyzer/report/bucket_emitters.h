// Bucket plans as text to paste, one file per consumer, and shared functions.

#ifndef SHAPEWISE_REPORT_BUCKET_EMITTERS_H_
#define SHAPEWISE_REPORT_BUCKET_EMITTERS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/size_history.h"
#include "result/bucket_report.h"

namespace shapewise {

/// A program that takes sizes, and the form that it expects.
struct BucketConsumer {
  std::string_view name;    ///< for --emit: "hf"
  std::string_view key;     ///< in a JSON result: "huggingface"
  std::string_view source;  ///< documentation of its form
  /// The text without its header, which says what it is, where it is from, and what it is worth.
  std::string (*text)(const BucketReport& report);
};

BucketConsumer PyTorchConsumer();
BucketConsumer VllmConsumer();
BucketConsumer SglangConsumer();
BucketConsumer TensorRtConsumer();
BucketConsumer HuggingFaceConsumer();
BucketConsumer GaudiConsumer();
BucketConsumer PlainJsonConsumer();

/// One dim: a number; more: a list.
nlohmann::ordered_json SizesJson(size_t dims, const Sizes& sizes);
nlohmann::ordered_json ServedJson(const ServedSizes& served);

/// `text` as comment lines of at most 88 columns that start with `prefix`.
std::string CommentLines(std::string_view text, std::string_view prefix = "# ");

/// Describes the sizes of a plan for the header of a text: "11 buckets of length, planned on 19366
/// calls: 9.8 % padding".
std::string PlanSummary(const BucketReport& report);

/// The sizes of a plan for one dim, ascending; empty if the plan has several dims.
std::vector<int64_t> LineSizes(const BucketReport& report);

/// The text of emitted/<name>.py.in, with each "@PLACEHOLDER@" replaced by its value, and "@part@"
/// by another such text. One that is a whole line is replaced by whole lines, or none.
std::string FilledTemplate(std::string_view name,
                           const std::vector<std::pair<std::string_view, std::string>>& values);

/// "1, 2, 4, 8"
std::string JoinedSizes(const std::vector<int64_t>& sizes, std::string_view separator = ", ");

/// "NAME: tuple[int, ...] = (...)", wrapped to 88 columns.
std::string PythonTuple(std::string_view name, const std::vector<int64_t>& items);

/// The same for buckets of `dims` dims: "NAME: tuple[tuple[int, ...], ...] = (...)".
std::string PythonTuple(std::string_view name, const std::vector<Sizes>& items, size_t dims);

/// Raises Dynamo's limits so that `limit` graphs of one function fit, and two for each of
/// `buckets`.
std::string PythonLimits(size_t limit, size_t buckets);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_EMITTERS_H_
