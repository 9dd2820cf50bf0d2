// The bodies of functions of a run, as far as their compilations show them.

#ifndef SHAPEWISE_DYNAMO_BODY_OF_RUN_H_
#define SHAPEWISE_DYNAMO_BODY_OF_RUN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/body_parts.h"
#include "dynamo/run_probes.h"
#include "model/session.h"
#include "result/place.h"

namespace shapewise {

/// The body of one code object, as far as its compilations show it.
struct CodeBody {
  BodyFacts body;                  ///< one frame, without resumes
  bool is_probed = false;          ///< a probe traced it, too
  bool are_objects_alike = false;  ///< a probe found that one graph serves all of its objects
  bool is_resumed = false;         ///< a later function of the run resumes it
};

/// Finds the body of each code object of a run. The compilations of the run are sorted once, and
/// those of a code object are read on demand: functions times compilations can be many.
class CodeBodies {
 public:
  /// `probes`: results of the probes of the same run (analyzer/docs/bodies.md), or null.
  explicit CodeBodies(const Session& session, const RunProbes* probes = nullptr);

  /// The code object with this frame number, function name and, where both are known, line; of
  /// several the first. kNoRank: in the first process. Absent if not found.
  std::optional<CodeBody> Read(int32_t rank, std::optional<uint32_t> frame,
                               const Place& where) const;

 private:
  struct Process {
    std::optional<size_t> Find(uint32_t frame, const Place& where) const;

    std::vector<std::vector<CompileRecord>> codes;  ///< compilations, by first compilation
    std::map<std::tuple<uint32_t, std::string_view, uint32_t>, size_t> by_place;
    std::map<std::pair<uint32_t, std::string_view>, size_t> by_name;
    std::map<std::string_view, size_t> last_resuming;  ///< by the name of what it resumes
  };

  void AddProbes(const Place& where, CodeBody& result, std::vector<TracedCompile>& compiles) const;

  const Session& session_;
  const RunProbes* probes_;
  /// Compilations of probes, by function and line.
  std::map<std::pair<std::string_view, uint32_t>, std::vector<CompileRecord>> probed_;
  std::map<int32_t, Process> processes_;
  std::map<uint32_t, bool> breaks_;  ///< frames that break, and whether for values of tensors
};

/// A body, and for each of its frames the number in compile ids.
struct LinkedBody {
  BodyFacts body;
  std::vector<uint32_t> frames;
};

/// Reads the bodies of functions of the first process, with their resume functions and the
/// functions that they call between them. The compilations of the run are read once.
class LinkedBodies {
 public:
  /// `probes`: results of the probes of the run, or null.
  LinkedBodies(const Session& session, const RunProbes* probes);
  ~LinkedBodies();
  LinkedBodies(const LinkedBodies&) = delete;
  LinkedBodies& operator=(const LinkedBodies&) = delete;

  /// The function that compile ids call `frame`, and that is called as `where` says, as far as they
  /// are given.
  LinkedBody Read(std::optional<uint32_t> frame, const Place& where);

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

/// What the compilations of `session` show about the body of the function whose frame number in
/// compile ids is `frame`, and whose name and line are those of `where`, as far as they are given,
/// in the first process. If neither is given and the run compiled several functions that do not
/// call each other, nothing is known.
BodyFacts BodyOfRun(const Session& session, std::optional<uint32_t> frame, const Place& where);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_BODY_OF_RUN_H_
