// How long operations of a kind take on one device, learnt from those that ran: a fixed time and a
// time for each unit of work, fitted to the newest measurements and corrected by each further one.
#pragma once

#include <map>
#include <string>

namespace tl {

class CostModel {
  public:
    /// `work` of `kind` took so long. Older measurements count less and less.
    void observe(const std::string& kind, double work, double seconds);
    /// The time that it will take; below 0 where nothing of the kind has been measured.
    [[nodiscard]] double seconds(const std::string& kind, double work) const;
    /// How far the newest predictions were off, as a share of the time that was measured.
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
