package dev.quire.core.expression;

import java.util.OptionalLong;

/**
 * Numbers in decimal notation, {@code -?\d+(\.\d+)?}, of any length. They are compared digit by
 * digit, without rounding.
 */
final class Numbers {

    /** This many digits always fit into 64 bits. */
    private static final int SAFE_DIGITS = 18;

    private Numbers() {}

    static boolean isNumber(String text) {
        int start = isNegative(text) ? 1 : 0;
        int point = digits(text, start);
        if (point == start) {
            return false;
        }
        if (point == text.length()) {
            return true;
        }
        int end = digits(text, point + 1);
        return text.charAt(point) == '.' && end > point + 1 && end == text.length();
    }

    /** Whether {@code number} is zero, however it is written. */
    static boolean isZero(String number) {
        for (int i = 0; i < number.length(); i++) {
            char c = number.charAt(i);
            if (c >= '1' && c <= '9') {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns {@code text} as an integer, without white space around it; empty if it is not one.
     */
    static OptionalLong integer(String text) {
        int start = isNegative(text) ? 1 : 0;
        int end = digits(text, start);
        if (end == start || end < text.length()) {
            return OptionalLong.empty();
        }
        if (end - start <= SAFE_DIGITS) {
            long value = 0;
            for (int i = start; i < end; i++) {
                value = value * 10 + text.charAt(i) - '0';
            }
            return OptionalLong.of(start == 1 ? -value : value);
        }
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException tooLarge) {
            return OptionalLong.empty();
        }
    }

    /** Compares two numbers by value: negative, zero or positive. */
    static int compare(String left, String right) {
        boolean leftNegative = isNegative(left) && !isZero(left);
        boolean rightNegative = isNegative(right) && !isZero(right);
        if (leftNegative != rightNegative) {
            return leftNegative ? -1 : 1;
        }
        int magnitudes = compareMagnitudes(left, right);
        return leftNegative ? -magnitudes : magnitudes;
    }

    private static int compareMagnitudes(String left, String right) {
        int leftStart = significant(left);
        int rightStart = significant(right);
        int leftPoint = digits(left, leftStart);
        int rightPoint = digits(right, rightStart);
        if (leftPoint - leftStart != rightPoint - rightStart) {
            return Integer.compare(leftPoint - leftStart, rightPoint - rightStart);
        }
        for (int i = 0; i < leftPoint - leftStart; i++) {
            int order = Character.compare(left.charAt(leftStart + i), right.charAt(rightStart + i));
            if (order != 0) {
                return order;
            }
        }
        for (int i = 1; leftPoint + i < left.length() || rightPoint + i < right.length(); i++) {
            int order = Character.compare(digit(left, leftPoint + i), digit(right, rightPoint + i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static char digit(String number, int at) {
        return at < number.length() ? number.charAt(at) : '0';
    }

    /** Returns the index of the first digit that is not a leading zero. */
    private static int significant(String number) {
        int at = isNegative(number) ? 1 : 0;
        while (at < number.length() && number.charAt(at) == '0') {
            at++;
        }
        return at;
    }

    private static boolean isNegative(String text) {
        return !text.isEmpty() && text.charAt(0) == '-';
    }

    private static int digits(String text, int from) {
        int at = from;
        while (at < text.length() && Ascii.isDigit(text.charAt(at))) {
            at++;
        }
        return at;
    }
}
