package dev.quire.news.election;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Ballots counted somewhere.
 *
 * @param places polling places they come from
 * @param votes valid votes, one number for each {@link Candidate} in order
 * @param invalid invalid papers
 */
public record Tally(int places, List<Long> votes, long invalid) {
    public static final Tally NOTHING = new Tally(0, zeros(), 0);

    public Tally {
        votes = List.copyOf(votes);
        if (votes.size() != Candidate.values().length) {
            throw new IllegalArgumentException(
                    "expected votes for %d candidates, found %d"
                            .formatted(Candidate.values().length, votes.size()));
        }
    }

    public Tally plus(Tally other) {
        return new Tally(
                places + other.places,
                IntStream.range(0, votes.size())
                        .mapToObj(i -> votes.get(i) + other.votes.get(i))
                        .toList(),
                invalid + other.invalid);
    }

    public long votesFor(Candidate candidate) {
        return votes.get(candidate.listNumber() - 1);
    }

    /** Votes for all candidates together. */
    public long valid() {
        return votes.stream().mapToLong(Long::longValue).sum();
    }

    /** All papers counted. */
    public long ballots() {
        return valid() + invalid;
    }

    /** The candidate's part of the valid votes in percent, 0 before the first. */
    public double share(Candidate candidate) {
        return valid() == 0 ? 0 : 100.0 * votesFor(candidate) / valid();
    }

    /** All candidates, most votes first; of equals the lower number. */
    public List<Candidate> ranking() {
        return Arrays.stream(Candidate.values())
                .sorted(Comparator.comparingLong(this::votesFor).reversed())
                .toList();
    }

    public Candidate leader() {
        return ranking().getFirst();
    }

    public Candidate second() {
        return ranking().get(1);
    }

    /** Votes between the first and the second. */
    public long lead() {
        return votesFor(leader()) - votesFor(second());
    }

    /** Percentage points between the first and the second. */
    public double leadPoints() {
        return share(leader()) - share(second());
    }

    private static List<Long> zeros() {
        return Arrays.stream(Candidate.values()).map(candidate -> 0L).toList();
    }
}
