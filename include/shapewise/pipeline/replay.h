// What `shapewise replay` does before and after the programs that run things.

#ifndef SHAPEWISE_PIPELINE_REPLAY_H_
#define SHAPEWISE_PIPELINE_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/graph_model.h"
#include "shapewise/model/session.h"
#include "shapewise/pipeline/advise.h"
#include "shapewise/pipeline/predict.h"
#include "shapewise/result/advice.h"
#include "shapewise/result/replay_report.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// How to run a policy. Absent: as the program that runs it is set.
struct ReplaySettings {
  std::string folder;            ///< in which the files of the job will lie; absolute
  std::string script;            ///< where the program of the best policy is left; empty: nowhere
  std::string device;            ///< "cpu", "cuda"; empty: a GPU where there is one
  std::string mode;              ///< of torch.compile; empty: its default
  std::string backend;           ///< of torch.compile; empty: its default
  std::optional<uint64_t> seed;  ///< of random inputs
  std::optional<uint64_t> threads;        ///< of a process
  std::optional<uint64_t> repetitions;    ///< of the timing, interleaved over the policies
  std::optional<double> tolerance;        ///< relative, up to which results are equal
  std::optional<double> timeout_seconds;  ///< of a process, or of an answer
  bool backward = false;                  ///< run the backward pass, too
  /// "data.py:make_inputs": makes what a call of the callable brings; empty: random numbers
  std::string make_inputs;
};

/// Writes one graph of a set, by its number, as shapewise.program/1.
using GraphProgramText = std::function<std::string(const GraphSet& graphs, size_t graph)>;

/// What to replay, and how.
struct ReplayOptions {
  std::vector<std::string> paths;  ///< plans (advise or buckets as JSON), logs, traces
  std::vector<std::string> calls;  ///< call records of the run
  /// What to run: "train.py:step", "package.module:Model.forward"; empty: the captured graph
  std::string callable;
  std::string function;               ///< whose calls; empty: the callable's, or what compiled most
  std::vector<std::string> dims;      ///< "x:1": what a plan of buckets pads; empty: as it tells
  std::vector<std::string> fills;     ///< "labels=-100": what its padding by such a plan holds
  std::vector<std::string> policies;  ///< as ParsePolicy reads them, besides those of the plan
  AdviseOptions advise;               ///< how to make advice from logs; its paths are not looked at
  std::vector<std::string> body;      ///< traces of one run of the function (LoadBody)
  bool assume_no_questions = false;   ///< SimulatorOptions::assume_no_questions
  bool trust = false;                 ///< a captured graph may be run
  uint64_t max_calls = 1000;          ///< the first so many calls are made
  std::optional<uint64_t> steps;      ///< judge by a run of so many calls; absent: of those made
  ReplaySettings settings;
  GraphProgramText program_of;  ///< of captured graphs
  /// Rewrites what is told; what is run keeps its names, and so does the session. Null: all stays.
  Redactor* redactor = nullptr;
};

/// A file that a program is given.
struct ReplayFile {
  std::string name;
  std::string text;
};

/// A replay, from what was read to what came back.
struct ReplayRun {
  Session session;                ///< of the logs
  std::optional<Advice> advice;   ///< made from logs; absent: there is a plan
  std::vector<RecordFile> files;  ///< of call records
  std::vector<ReplayFile> job;    ///< to lie in one folder; the first is the job itself
  bool is_graph = false;          ///< the subject is a captured graph
  ReplayReport report;
};

/// Reads plans, logs and calls, chooses the policies to run, predicts what each does, and makes the
/// files of the job. Error: nothing to run, a plan or a policy that cannot be read, a captured
/// graph that may not be run without `options.trust`.
Error PrepareReplay(const ReplayOptions& options, FileSource& files, ReplayRun& run);

/// Reads the calls, and makes the files of a job that times them at other sizes: all of
/// `options.dims`, which are varied together. Error: no calls, no callable, or they have no such
/// dim.
Error PrepareTiming(const ReplayOptions& options, FileSource& files, ReplayRun& run);

/// Reads what the program that ran the job of `run` answered (shapewise.replay/1), and judges every
/// policy. Error: `answer` is none.
Error FinishReplay(const ReplayOptions& options, std::string_view answer, ReplayRun& run);

/// Puts what was measured of single actions and of the plan beside what `advice` predicted, and
/// withdraws what does not pay.
void ValidateAdvice(const ReplayReport& report, Advice& advice);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPLAY_H_
