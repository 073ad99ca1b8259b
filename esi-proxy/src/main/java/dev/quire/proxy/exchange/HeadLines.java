package dev.quire.proxy.exchange;

/** Takes the field lines of one response head, in the order in which they are sent. */
public interface HeadLines {

    /**
     * One line.
     *
     * @param value in ISO 8859-1
     */
    void line(CharSequence name, String value);

    /** A line whose value ends in {@code number}; no text is made of it. */
    void line(CharSequence name, CharSequence value, long number);
}
