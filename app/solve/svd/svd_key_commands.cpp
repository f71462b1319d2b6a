#include "app/solve/svd/svd_actions.h"
#include "app/solve/svd/svd_row.h"

namespace tl {

std::vector<ViewerCommand> svd_commands() {
    constexpr Modifiers kNone{}, kShift{.shift = true};
    std::vector<ViewerCommand> rows{
        {"Run SVD, or cancel",
         "Run the panel's singular value decomposition, or stop it.",
         {{Key::v, kNone}},
         toggle_svd,
         [](const ViewerModel& m) {
             auto& job = svd_of(m).job;
             return job.busy() ? job.phase() : std::string("idle");
         }},
        {"Run SVD of this frame",
         "Decompose the picture's luminance and show it by its largest triplets.",
         {{Key::v, kShift}},
         [](ViewerModel& m) { start_svd_of(m, SvdSource::frame); }},
        {"Run SVD of form factors",
         "Decompose the form factors between two clusters of surfaces.",
         {{Key::g, kNone}},
         [](ViewerModel& m) { start_svd_of(m, SvdSource::form_factors); }},
        {"Higher rank",
         "Show the frame by twice as many triplets.",
         {{Key::unknown, kNone, ']'}},
         [](ViewerModel& m) { show_rank(m, svd_of(m).rank * 2); },
         [](const ViewerModel& m) { return std::to_string(svd_of(m).rank); }},
        {"Lower rank",
         "Show the frame by half as many triplets.",
         {{Key::unknown, kNone, '['}},
         [](ViewerModel& m) { show_rank(m, svd_of(m).rank / 2); }},
        {"Run errors of values, or cancel",
         "Compare values and vectors that the modes find with exact ones, over several matrices.",
         {{Key::e, {.control = true}}},
         toggle_svd_errors},
        {"Copy table as CSV",
         "Put the decompositions so far on the clipboard as CSV.",
         {{Key::k, kNone}},
         [](ViewerModel& m) { copy_csv(m, svd_of(m)); }},
        {"Copy table as JSON",
         "Copy the decompositions as JSON, with all singular values.",
         {{Key::k, kShift}},
         [](ViewerModel& m) { copy_json(m, svd_of(m)); }},
    };
    std::vector<ViewerCommand> commands;
    add_menu(commands, "Solve", rows);
    return commands;
}

}  // namespace tl
