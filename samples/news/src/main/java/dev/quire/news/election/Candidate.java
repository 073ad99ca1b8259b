package dev.quire.news.election;

/** A list on the ballot paper. Lists have a number and a colour and no face. */
public enum Candidate {
    NO_1(1, "#b3261e"),
    NO_2(2, "#1d5a96"),
    NO_3(3, "#a36a00"),
    NO_4(4, "#6d3d8f"),
    NO_5(5, "#2c7247"),
    NO_6(6, "#56616b");

    private final int listNumber;
    private final String colour;

    Candidate(int listNumber, String colour) {
        this.listNumber = listNumber;
        this.colour = colour;
    }

    /** The number on the ballot paper, from 1. */
    public int listNumber() {
        return listNumber;
    }

    /** The name in print. */
    public String label() {
        return "No. " + listNumber;
    }

    /** CSS colour, dark enough for white text. */
    public String colour() {
        return colour;
    }
}
