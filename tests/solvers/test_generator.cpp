// Generator of solvers: systems as text, the elimination templates found for them, and refused
// input.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "solvers/minimal/solver_writer.h"
#include "tests/source_path.h"

namespace tl::minimal {
namespace {

EliminationTemplate template_of(const std::string& text) {
    return find_template(read_system(text, "test.txt"));
}

EliminationTemplate template_of_problem(const std::string& name) {
    auto path = source_path("solvers/minimal/problems/") + name;
    return find_template(read_system(read_text_file(path), path));
}

void expect_error(const std::string& text, const std::string& what) {
    try {
        (void)template_of(text);
        ADD_FAILURE() << "no error: " << text;
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
}

TEST(Generator, FindsAsManySolutionsAsTheProblemsHave) {
    struct Known {
        const char* name;
        std::size_t n_solutions, most_rows;
    };
    // Numbers of solutions: Stewenius et al. 2006 and 2005; Bezout's for three quadrics.
    for (auto& known : {Known{"five_point.txt", 10, 10}, Known{"six_point_focal.txt", 15, 55},
                        Known{"p4pf.txt", 8, 30}}) {
        auto found = template_of_problem(known.name);
        EXPECT_EQ(found.basis.size(), known.n_solutions) << known.name;
        EXPECT_EQ(found.basis.back(), Monomial()) << known.name;
        EXPECT_LE(found.rows.size(), known.most_rows) << known.name;
        EXPECT_EQ(found.rows.size(), found.eliminated.size() + found.reducible.size());
    }
}

TEST(Generator, CountsTheSolutionsOfPlainSystems) {
    std::string head = "system s\nunknowns x y\nparameters a[6] b[6]\n";
    std::string conic = "*x^2 + A[1]*x*y + A[2]*y^2 + A[3]*x + A[4]*y + A[5]\n";
    auto with = [&](std::string list) {
        std::string text = "equations A[0]" + conic;
        for (std::size_t at; (at = text.find('A')) != std::string::npos;) text.replace(at, 1, list);
        return text;
    };
    EXPECT_EQ(template_of(head + with("a") + with("b")).basis.size(), 4u);
    // A conic and a line; a line alone with another one.
    EXPECT_EQ(template_of(head + with("a") + "equations b[0]*x + b[1]*y + b[2]\n").basis.size(),
              2u);
    EXPECT_EQ(template_of(head + "equations a[0]*x + y - a[1]\nequations b[0]*x - 2*y - b[1]\n")
                  .basis.size(),
              1u);
}

const char* const kSquares =
    "system s\nunknowns x y\nparameters a b\nequations x*x - a\nequations y*y - b\n";

TEST(Generator, AnActionVariableCanBeChosen) {
    std::string text =
        "system s\nunknowns x y\nparameters a b\naction y\nequations x^2 - a*y\nequations y^2 - "
        "b\n";
    EXPECT_EQ(template_of(text + "action x\n").action, (LinearForm{1, 0}));
    EXPECT_EQ(template_of(text + "action 2*x - 3*(y - x)\n").action, (LinearForm{5, -3}));
    // An argument, such as the flag's, comes before the text.
    auto found = find_template(read_system(text, "test.txt", "x + 7*y"));
    EXPECT_EQ(found.action, (LinearForm{1, 7}));
    EXPECT_EQ(found.basis.size(), 4u);
}

TEST(Generator, TheActionHasAnotherValueAtEachSolution) {
    // x has two values at four solutions, and so has y.
    auto found = template_of(kSquares);
    EXPECT_EQ(found.basis.size(), 4u);
    EXPECT_EQ(found.n_distinct, 4u);
    EXPECT_NE(found.action[0], 0);
    EXPECT_NE(found.action[1], 0);
    // Of three squares two unknowns have four values at eight solutions.
    found = template_of(
        "system s\nunknowns x y z\nparameters a[3]\nequations x^2 - a[0]\nequations y^2 - "
        "a[1]\nequations z^2 - a[2]\n");
    EXPECT_EQ(found.basis.size(), 8u);
    EXPECT_EQ(std::ranges::count(found.action, 0), 0);
    // A single unknown that separates the solutions stays alone.
    EXPECT_EQ(template_of("system s\nunknowns x y\nparameters a b\nequations x^2 - a*y\n"
                          "equations y^2 - b\n")
                  .action,
              (LinearForm{1, 0}));
}

TEST(Generator, ActionsThatWouldLoseSolutionsAreRefused) {
    expect_error(std::string(kSquares) + "action x\n",
                 "the action x has 2 different values at 4 solutions");
    // The solutions are (p, q), (q, p), with p + q = a.
    std::string pair =
        "system s\nunknowns x y\nparameters a b\nequations x + y - a\nequations x*y - b\n";
    expect_error(pair + "action x + y\n", "the action x + y has 1 different value at 2 solutions");
    EXPECT_EQ(template_of(pair + "action x - y\n").basis.size(), 2u);
    for (auto* action : {"x*y", "a*x", "x/2", "x + 1", "x - x", "1", "5000000*x"})
        expect_error(pair + "action " + action + "\n", "test.txt:6: the action is no sum of");
    expect_error(pair + "action\n", "an action variable is missing");
    expect_error(pair + "action z\n", "'z' is not known");
    EXPECT_THROW((void)read_system(pair, "test.txt", "x +"), UserError);
}

TEST(Generator, SolutionsThatAreAlwaysMultipleAreNamed) {
    auto found = template_of(
        "system s\nunknowns x y\nparameters a b\nequations (x - a)^2\nequations y^2 - b\n");
    EXPECT_EQ(found.basis.size(), 4u);
    EXPECT_EQ(found.n_distinct, 2u);
    EXPECT_NE(multiplicity_warning(found).find("of its 4 solutions 2 are distinct"),
              std::string::npos);
    // The origin is a multiple solution, beside single ones.
    found = template_of(
        "system s\nunknowns x y\nparameters a b\nequations x^2 - a*x*y\nequations y^2 - "
        "b*x*y + x*y*y\n");
    EXPECT_LT(found.n_distinct, found.basis.size());
    EXPECT_EQ(multiplicity_warning(template_of(kSquares)), "");
}

TEST(Generator, ErrorsNameTheLine) {
    std::string head = "system s\nunknowns x y\nparameters a[2][2]\n";
    expect_error("", "names no system");
    expect_error("system s\n", "no unknowns");
    expect_error("system s\nunknowns x\n", "0 equations for 1 unknowns");
    expect_error(head + "equation x\n", "test.txt:4: a line begins with");
    expect_error(head + "equations z\n", "test.txt:4: 'z' is not known");
    expect_error(head + "equations x +\n", "test.txt:4: a number, a name");
    expect_error(head + "equations (x\n", "')' is missing");
    expect_error(head + "equations x ) y\n", "is left at the end");
    expect_error(head + "equations det(a + x)\n", "cannot be added");
    expect_error(head + "equations a[2][0]*x\n", "whole number from 0 to 1");
    expect_error(head + "equations x/y\n", "only numbers can be divided by");
    expect_error(head + "equations x/0\n", "only numbers can be divided by");
    expect_error(head + "equations x^40\n", "whole number from 1 to 20");
    expect_error(head + "equations x - x\n", "0 = 0");
    expect_error(head + "equations a[0][0]\n", "has no unknown");
    expect_error(head + "let x = 1\n", "is taken");
    expect_error(head + "equations " + std::string(1000, '(') + "x\n", "100 parentheses");
    expect_error(head + "equations " + std::string(1000, '-') + "x\n", "100 signs");
    expect_error(head + "equations 1234567890123456*x\n", "15 digits");
    expect_error("system s\nunknowns a b c d e f g h i\n", "more than 8 unknowns");
    expect_error("system -5\n", "test.txt:1: the name '-5' of the system does not begin with a");
    expect_error(head + "let " + std::string(61, 'b') + " = x\n", "more than 60 characters");
}

TEST(Generator, HostileSystemsAreRefusedBeforeTheyTakeLong) {
    /// Returns `line` n times, with '@' replaced by the number of each.
    auto lines = [](const std::string& line, int n) {
        std::string text;
        for (int i = 0; i < n; ++i)
            for (char c : line) text += c == '@' ? std::to_string(i) : std::string(1, c);
        return text;
    };
    std::string head = "system s\nunknowns a b c d e f g h\nparameters A[16][16]\n";
    std::string too_much = "have more than 500000 terms";
    expect_error(head + "let t = (a+b+c+d+e+f+g+h+1)^20\n", "test.txt:4: the expressions up to");
    expect_error(head + "let t = (a*A + b*A)^20\n", too_much);
    expect_error(head + "let t = a" + lines("+A[0][0]", 300'000) + "\n", too_much);
    expect_error(head + lines("let t@ = 1\n", 300'000), too_much);
    expect_error(head + lines("parameters p@[16][16]\n", 2'000), too_much);
    expect_error(head + lines("equations a^20 - @\n", 201),
                 "test.txt:204: more than 200 equations");
    // Many multiples; many monomials; dense systems of high degree, which take seconds.
    expect_error("system s\nunknowns x y z\n" + lines("equations x^3*y - 1@*z^2 - 1\n", 199),
                 "its template would have more than");
    std::string dense;
    for (int e = 0; e < 4; ++e)
        dense += "equations (x+" + std::to_string(e) + "*y+z-w)^4+A[" + std::to_string(e) +
                 "][0]*x+A[0][" + std::to_string(e) + "]*y^4+z^3+w+1\n";
    EXPECT_THROW((void)template_of("system s\nunknowns x y z w\nparameters A[4][4]\n" + dense),
                 UserError);
}

TEST(Generator, SumsMayBeMadeOfManyOthers) {
    std::string text = "system s\nunknowns x\nparameters p q\nlet a0 = p\n";
    constexpr int kDepth = 20'000;
    for (int i = 0; i < kDepth; ++i)
        text += "let a" + std::to_string(i + 1) + " = a" + std::to_string(i) + "*p + q\n";
    auto system = read_system(text + "equations x - a" + std::to_string(kDepth) + "\n", "test.txt");
    auto solver = solver_text(system, find_template(system));
    EXPECT_NE(solver.find("const T s" + std::to_string(kDepth - 2) + " = "), std::string::npos);
}

TEST(Generator, DerivativesMayHaveMonomialsThatNoEquationHas) {
    auto system = read_system(
        "system s\nunknowns x y z\nparameters a\nequations x*y*z - a\nequations x - 2*y\n"
        "equations z^3 - x\n",
        "test.txt");
    auto solver = solver_text(system, find_template(system));
    // Derivatives of the first equation: x z by y, y z by x, and x y by z.
    for (auto* product : {"// x*z\n", "// y*z\n", "// x*y\n"})
        EXPECT_NE(solver.find(product), std::string::npos) << solver;
}

TEST(Generator, ParametersMayHaveAnyName) {
    // Words of C++, and names that the solver's functions use.
    auto system = read_system(
        "system s\nunknowns x\nparameters double p s0 c T\nequations (double+s0)*p*x - c*T\n",
        "test.txt");
    auto solver = solver_text(system, find_template(system));
    for (auto* line : {"const T* double_ = p + 0;", "const T* p_ = p + 1;", "const T* T_ = p + 4;"})
        EXPECT_NE(solver.find(line), std::string::npos) << line;
}

TEST(Generator, SystemsWithoutSinglePointsAreRefused) {
    std::string head = "system s\nunknowns x y\nparameters a b\n";
    expect_error(head + "equations x*y - a\nequations 2*x*y - b\n", "no solutions");
    expect_error(head + "equations x*y - a\nequations 2*x*y - 2*a\n", "infinitely many");
    std::string wide = "system s\nunknowns a b c d e f g h\n";
    for (char c : std::string("abcdefgh"))
        wide += concatenated({"equations ", {&c, 1}, "^20 - 1\n"});
    expect_error(wide, "too many monomials");
}

TEST(Generator, WritesWhatPeopleCanRead) {
    auto system = read_system(
        "system two-conics\nunknowns x y\nparameters a b\nequations x^2 - a/2*y\nequations y^2 - "
        "b\n",
        "test.txt");
    auto text = solver_text(system, find_template(system));
    EXPECT_NE(text.find("struct TwoConics {"), std::string::npos);
    EXPECT_NE(text.find("T(1.0 / 2) * a_[0]"), std::string::npos);
    EXPECT_NE(text.find("Solutions: 4."), std::string::npos);
    EXPECT_EQ(text, solver_text(system, find_template(system)));  // the same every time
}

}  // namespace
}  // namespace tl::minimal
