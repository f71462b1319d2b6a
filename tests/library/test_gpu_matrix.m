% Tests of the class gpuMatrix. Listing 4.7 of Brodtkorb 2007 stands first, unchanged.
n = 64;
%Enqueues operation, returns instantly
A = gpuMatrix(rand(n, n));
B = gpuMatrix(rand(n, n));

%Enqueues the multiplication, returns instantly
C = A * B;

%Enqueues the multiplication, returns instantly
D = C*C;

%Enqueues reading back to the CPU, returns instantly
%Note that this function does not need to be called,
%but improves performance
read(D);

%Waits for the read operation to complete, and returns
%the result
d = single(D);

near = @(x, y, e) assert (max (abs (x(:) - y(:))) <= e * max (1, max (abs (y(:)))));
a = double (A);
b = double (B);
assert (class (d), "single");
near (d, (a * b) * (a * b), 1e-6);
near (double (D), (a * b) * (a * b), 1e-13);

% Operators
near (double (2 * A .* B - B ./ (A + 1) + -A / 2), 2 * a .* b - b ./ (a + 1) - a / 2, 1e-14);
near (double (abs (1 - A * 3)), abs (1 - a * 3), 1e-15);
near (double (sqrt (exp (A))), sqrt (exp (a)), 1e-15);
near (double (A'), a', 0);
near (double (A(3:7, 2)), a(3:7, 2), 0);
near (double (A(:, 5:9)), a(:, 5:9), 0);
assert (size (A(3:7, :)), [5, n]);
near (double (A \ B), a \ b, 1e-9);
near (double (B / A), b / a, 1e-9);

near (double (2 .\ A + A .\ B), 2 .\ a + a .\ b, 1e-15);
near (double (A .^ B), a .^ b, 1e-15);
near (double ((A - 0.5) .^ 3), (a - 0.5) .^ 3, 1e-15);
near (double (2 .^ A), 2 .^ a, 1e-15);
near (double (A ^ 5), a ^ 5, 1e-13);
near (double (A ^ -2), a ^ -2, 1e-8);
assert (double (A ^ 0), eye (n));
assert (double (+A), a);
assert (class (single (gpuMatrix (single (a)) ^ 0)), "single");

% Rows, columns and numbers of a gpuMatrix are repeated.
near (double (A + A(2, :)), a + a(2, :), 0);
near (double (A(:, 3) .* A(2, :)), a(:, 3) .* a(2, :), 0);
near (double (A ./ A(1, 1)), a ./ a(1, 1), 1e-15);
near (double (A * A(1, 1) + A(2, 2) * A - A / A(3, 3)), a * a(1, 1) + a(2, 2) * a - a / a(3, 3), 1e-14);
near (double (b(:, 1) - A), b(:, 1) - a, 0);
assert (double (A(1, 2:end) < A(5, 5)), double (a(1, 2:end) < a(5, 5)));
assert (size (A([], 1) + A(1, :)), [0 n]);

% Comparisons and logical operators give 1 and 0.
q = floor (4 * rand (6, 5)) - 1;
r = floor (4 * rand (6, 5)) - 1;
Q = gpuMatrix (q);
R = gpuMatrix (r);
for f = {@eq, @ne, @lt, @le, @gt, @ge, @and, @or}
  op = f{1};
  assert (double (op (Q, R)), double (op (q, r)));
  assert (double (op (Q, r)), double (op (q, r)));
  assert (double (op (q, R)), double (op (q, r)));
  assert (double (op (Q, 1)), double (op (q, 1)));
  assert (double (op (1, Q)), double (op (1, q)));
end
assert (double (~Q), double (~q));
assert (double (Q == R | ~(Q < 2) & R ~= 0), double (q == r | ~(q < 2) & r ~= 0));
assert (logical (Q > R), q > r);
assert (double (A(1, 1) == a(1, 1)), 1);
assert (double (gpuMatrix ([NaN 1]) == gpuMatrix ([NaN 1])), [0 1]);

% Conversions
for f = {@int8, @int16, @int32, @int64, @uint8, @uint16, @uint32, @uint64, @logical, @single}
  to = f{1};
  assert (to (Q * 100.4), to (q * 100.4));
  assert (double (gpuMatrix (to (abs (q)))), double (to (abs (q))));
end

% Values are displayed under the variable's name.
P = gpuMatrix ([1 2; 3 4.5]);
shown = evalc ("P");
assert (! isempty (regexp (shown, "^P =\\s+gpuMatrix of 2 x 2, double\\s")));
assert (! isempty (regexp (shown, "3\\.0+\\s+4\\.50*\\s")));
assert (! isempty (strfind (evalc ("disp (gpuMatrix (single (7)))"), "1 x 1, single")));

% Ranges
near (double (A(end, 2:end)), a(end, 2:end), 0);
near (double (A(1:2:end, end:-3:1)), a(1:2:end, end:-3:1), 0);
near (double (A(end-1, [4 6 8])), a(end-1, [4 6 8]), 0);
near (double (Q(q(:, 1) == q(1, 1) & (1:6)' == 1, :)), q(1, :), 0);
assert (size (A([], 1:3)), [0 3]);
G = Q;
G(end:-2:1, 1:2:end) = r(1:3, 1:3);
G(2, :) = 9;
g = q;
g(end:-2:1, 1:2:end) = r(1:3, 1:3);
g(2, :) = 9;
assert (double (G), g);

% The other operand may be an array, of either class.
near (double (A * b), a * b, 1e-13);
near (double (a * B), a * b, 1e-13);
near (double (A + single (b)), a + double (single (b)), 1e-14);
near (double (b ./ A), b ./ a, 1e-14);
near (double (A \ b(:, 1)), a \ b(:, 1), 1e-9);
near (double (b / A), b / a, 1e-9);

% Assignments make another matrix of the variable alone.
E = A;
E(2:4, :) = b(2:4, :);
E(1, 1) = 7;
E(5:end, 3) = A(5:end, 4);
e = a;
e(2:4, :) = b(2:4, :);
e(1, 1) = 7;
e(5:end, 3) = a(5:end, 4);
near (double (E), e, 0);
near (double (A), a, 0);

% Solvers
[L, U, p] = lu (A);
near (double (L * U), a(double (p), :), 1e-14);
[l, u, q] = lu (a, "vector");
assert (double (p)(:), q(:));
near (double (L), l, 1e-12);
near (double (U), u, 1e-12);
F = gpuFactors (A);
near (double (F \ B), a \ b, 1e-9);
near (double (F \ b(:, 1)), a \ b(:, 1), 1e-9);
near (double (b / F), b / a, 1e-9);
[LU, q] = get (F);
near (double (LU), l + u - eye (n), 1e-12);
assert (double (q), double (p));
tall = rand (9, 4);
near (double (gpuMatrix (tall) \ ones (9, 1)), tall \ ones (9, 1), 1e-12);
near (double (gpuMatrix (tall') \ ones (4, 1)), tall' \ ones (4, 1), 1e-12);
near (double (pinv (gpuMatrix (tall))), pinv (tall), 1e-12);
near (double (rank (gpuMatrix (tall * tall'))), 4, 0);
near (double (pinv (gpuMatrix (diag ([4 2 1])), 0.3)), diag ([0.25 0.5 0]), 1e-14);
near (double (svd (A)), svd (a), 1e-13);
[U, s, V] = svd (A);
near (double (U) * diag (double (s)) * double (V)', a, 1e-13);
e = double (eig (A));
in_order = @(z) sortrows ([real(z), abs(imag(z)), imag(z)]);
near (in_order (complex (e(:, 1), e(:, 2))), in_order (eig (a)), 1e-11);
[X, e] = eig (A);
x = double (X);
x = complex (x(:, 1:2:end), x(:, 2:2:end));
e = double (e);
near (a * x, x * diag (complex (e(:, 1), e(:, 2))), 1e-11);
[r, pivots] = rref (gpuMatrix ([1 2 3; 2 4 6; 0 0 1]));
near (double (r), [1 2 0; 0 0 1; 0 0 0], 1e-15);
wide = floor (7 * rand (6, 9)) - 3;
near (double (rref (gpuMatrix (wide))), rref (wide), 1e-9);
near (double (inv (A)), inv (a), 1e-9);
assert (double (pivots)', [1 3 0]);
near (double (inv (A) * A), eye (n), 1e-9);
assert (class (single (gpuMatrix (single (a)))), "single");

% Errors appear where a result is waited for.
function check_error (id, text, call)
  try
    call ();
  catch problem
    assert (problem.identifier, id);
    assert (! isempty (strfind (problem.message, text)));
    return;
  end
  error ("there was no error of %s", id);
end
S = inv (gpuMatrix (zeros (3)));
check_error ("treelight:failed", "singular", @() double (S + S));
check_error ("treelight:invalid", "as many columns", @() double (A * gpuMatrix (ones (2))));
check_error ("treelight:invalid", "full real", @() gpuMatrix ("text"));
check_error ("treelight:invalid", "two indices", @() A(3));
check_error ("treelight:invalid", "2 x 2 numbers for a block of 3 x 2",
             @() subsasgn (A, substruct ("()", {1:3, 1:2}), ones (2)));
check_error ("treelight:invalid", "are a range", @() A([1 2 4], 1));
check_error ("treelight:invalid", "once", @() A([2 2], 1));
check_error ("treelight:invalid", "from 1 to 64", @() A(0, 1));
check_error ("treelight:invalid", "from 1 to 64", @() A(1, 65));
check_error ("treelight:invalid", "from 1 to 64", @() A(1.5, 1));
check_error ("treelight:invalid", "whole numbers", @() A ^ 0.5);
check_error ("treelight:invalid", "whole numbers", @() 2 ^ A);
check_error ("treelight:invalid", "square", @() A(1:2, :) ^ 2);
check_error ("treelight:invalid", "one size", @() double (A == Q));
check_error ("treelight:failed", "singular", @() disp (gpuMatrix (zeros (2)) ^ -1));
check_error ("treelight:invalid", "full real", @() gpuMatrix (1i));
disp ("all tests of gpuMatrix passed");
