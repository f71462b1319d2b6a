// Cost model of operations on one device: a fixed time plus a time per unit of work, for each kind
// of operation. Both are fitted to the newest measurements and updated by each further one.
#pragma once

#include <map>
#include <string>

namespace tl {

class CostModel {
  public:
    /// Records that `work` of `kind` took `seconds`. The weight of older measurements decays.
    void observe(const std::string& kind, double work, double seconds);
    /// Predicted time; below 0 where nothing of the kind has been measured.
    [[nodiscard]] double seconds(const std::string& kind, double work) const;
    /// Mean error of the newest predictions, relative to the measured times.
    [[nodiscard]] double error(const std::string& kind) const;

  private:
    /// Sums over measurements, each divided by its time, so that relative errors are minimised.
    struct Fit {
        double ones = 0, mixed = 0, works = 0, of_ones = 0, of_works = 0;
        double fixed = 0, per_unit = 0;
        double error = 0;
        int n = 0;

        void add(double work, double seconds);
        void solve();
    };
    std::map<std::string, Fit> fits_;
};

}  // namespace tl
