// Parts of Python programs that contain a plan.

#ifndef SHAPEWISE_REPORT_BUCKET_EMIT_PYTHON_H_
#define SHAPEWISE_REPORT_BUCKET_EMIT_PYTHON_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/size_history.h"

namespace shapewise {

/// "NAME: tuple[int, ...] = (...)", wrapped to 88 columns.
std::string PythonTuple(std::string_view name, const std::vector<int64_t>& items);

/// The same for buckets of `dims` dims: "NAME: tuple[tuple[int, ...], ...] = (...)".
std::string PythonTuple(std::string_view name, const std::vector<Sizes>& items, size_t dims);

/// Raises Dynamo's limits so that `limit` graphs of one function fit, and two for each of
/// `buckets`.
std::string PythonLimits(size_t limit, size_t buckets);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_EMIT_PYTHON_H_
