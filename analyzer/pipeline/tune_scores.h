// Losses and scores in what a program prints.

#ifndef SHAPEWISE_PIPELINE_TUNE_SCORES_H_
#define SHAPEWISE_PIPELINE_TUNE_SCORES_H_

#include <string_view>
#include <vector>

#include "pipeline/tune.h"

namespace shapewise {

/// The numbers that stand behind the words loss, acc, accuracy, perplexity, ppl and score, in the
/// order of `text`: "val_loss: 0.25", "acc@5=0.9", "{'score': nan}". Words count whole, in any
/// case. A number counts only directly behind its word, with no other word in between: times, rates
/// and steps beside it do not. At most the first 10,000.
std::vector<TuneScore> ScoresIn(std::string_view text);

/// Whether both are the same score, but for rounding.
bool AreEqualScores(const TuneScore& a, const TuneScore& b);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_TUNE_SCORES_H_
