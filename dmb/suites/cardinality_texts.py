"""The wording of the `cardinality` suite: five kinds of catalogue, six attributes each, in our own words.

An attribute value has one wording for the entry. A request says it either in the entry's own words, fitted into the
sentence, or in at least one other way. The tables below are the whole of what counts as "the same".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


@dataclass(frozen=True, slots=True)
class Value:
    """``entry``: how the catalogue says it. ``request``: the ways in which a request says the same otherwise.

    ``verbatim``: the entry's words, with the article or preposition that a request needs around them.
    """

    entry: str
    verbatim: str
    request: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """``clause`` asks for a value, ``before`` names one (in the entry's words) that is no longer wanted."""

    name: str
    clause: str
    before: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """One kind of catalogue. ``attributes``: in the entry's order; the one at ``dial`` has 64 values, the others 8."""

    id: str
    openings: tuple[str, ...]
    closings: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    dial: int


def number_words(n: int) -> str:
    """0 to 199 in English words."""
    if n < 20:
        return SMALL[n]
    if n < 100:
        return TENS[n // 10] + (f"-{SMALL[n % 10]}" if n % 10 else "")
    return "one hundred" + (f" and {number_words(n % 100)}" if n % 100 else "")


def time_words(minutes: int) -> str:
    """Minutes since midnight, in tens, 06:00 to 21:50, as spoken: 940 -> "twenty to four in the afternoon"."""
    hour, minute = divmod(minutes, 60)
    spoken_hour = hour if minute <= 30 else hour + 1
    name = SMALL[(spoken_hour - 1) % 12 + 1]
    part = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
    if minute == 0:
        return f"{name} o'clock in the {part}" if hour != 12 else "twelve noon"
    if minute == 30:
        return f"half past {name} in the {part}"
    lead = f"{number_words(minute)} past" if minute < 30 else f"{number_words(60 - minute)} to"
    return f"{lead} {name} in the {part}"


def halves_words(n: int) -> str:
    """A count of halves in words: 95 -> "forty-seven and a half"."""
    return number_words(n // 2) + (" and a half" if n % 2 else "")


def dial(numbers: Sequence[int], entry: Callable[[int], str], *request: Callable[[int], str]) -> tuple[Value, ...]:
    """The values of a numeric attribute, one a number."""
    return tuple(Value(entry(n), entry(n), tuple(say(n) for say in request)) for n in numbers)


def table(*rows: str) -> tuple[Value, ...]:
    """Values from rows "entry = request | another request".

    Where a request needs more words around the entry's own, the entry stands in brackets: "in a [crate] = ...".
    """
    values = []
    for row in rows:
        own, request = row.split(" = ")
        entry = own[own.index("[") + 1 : own.index("]")] if "[" in own else own
        values.append(Value(entry, own.replace("[", "").replace("]", ""), tuple(request.split(" | "))))
    return tuple(values)


LOCKERS = Domain(
    id="lockers",
    openings=(
        "I would like to rent a locker at the station.",
        "Could you find me a locker, please?",
        "I start work next door soon and need a locker.",
        "We are moving house and one locker would help us a lot.",
        "My band rehearses nearby, so I am after a locker.",
    ),
    closings=("Anything else will not do.", "Please book it if you have exactly that.", "Thanks for looking."),
    attributes=(
        Attribute(
            "level",
            "it has to be {}",
            "the one I had before was {}",
            table(
                "on [level -1] = one storey below the street | directly under street level",
                "on [level 0] = at street level | where one walks in from the street without any stairs",
                "on [level 1] = one storey above the street | a single storey up from the street",
                "on [level 2] = two storeys above the street | up from the street by two storeys",
                "on [level 3] = three storeys above the street | up from the street by three storeys",
                "on [level 4] = four storeys above the street | up from the street by four storeys",
                "on [level 5] = five storeys above the street | up from the street by five storeys",
                "on [level 6] = six storeys above the street | up from the street by half a dozen storeys",
            ),
        ),
        Attribute(
            "colour",
            "the door should be {}",
            "the door of my old one was {}",
            table(
                "crimson = deep red | dark red",
                "navy = dark blue | very deep blue",
                "ivory = off-white | a creamy kind of white",
                "charcoal = dark grey | nearly black, but still grey",
                "lilac = pale purple | light purple",
                "chocolate = dark brown | deep brown",
                "turquoise = blue-green | halfway between blue and green",
                "lemon = pale yellow | light yellow",
            ),
        ),
        Attribute(
            "lock",
            "I want to {}",
            "my old one used to {}",
            table(
                "have a [keypad] on it = type in a code to open it | open it by pressing digits",
                "have a [padlock hasp] on it = bring a padlock of my own | secure it with a padlock that I already own",
                "have a [coin lock] on it = put in a coin that I get back | open it with a coin that comes out again",
                (
                    "have a [card reader] on it = hold a plastic pass against it to open it | open it with my "
                    "membership pass"
                ),
                "have a [fingerprint sensor] on it = open it with the touch of a thumb | have it recognise my thumb",
                (
                    "have a [number wheel lock] on it = turn little rings with figures to open it | line up rotating "
                    "figures to open it"
                ),
                "have a [phone app lock] on it = open it from my mobile | unlock it by mobile",
                "have a [cylinder lock] on it = use an ordinary metal key | open it with a plain key",
            ),
        ),
        Attribute(
            "inside",
            "inside I need {}",
            "the former one came with {}",
            table(
                "a [mains socket] = somewhere to plug in a charger | electricity for charging a battery",
                "a [coat rail] = a bar for clothes hangers | something that takes clothes hangers",
                "two shelves = a pair of boards to put things on | two boards, one over the other",
                "a [mirror] = a looking glass | something to see my face in",
                (
                    "a [drip tray] = a shallow basin that catches water | something flat under wet boots to catch "
                    "the water"
                ),
                "a [lamp] = a light | some lighting",
                "air vents = slots that let it breathe | openings for fresh air",
                "a [document pocket] = a flat holder for papers | a sleeve for papers",
            ),
        ),
        Attribute(
            "height",
            "it must be {}",
            "mine was {} until now",
            dial(
                range(60, 124),
                lambda n: f"{n} cm high",
                lambda n: f"{number_words(n)} centimetres from bottom to top",
                lambda n: f"{n // 100}.{n % 100:02d} m from bottom to top",
            ),
        ),
        Attribute(
            "term",
            "I want to pay {}",
            "so far my contract was {}",
            table(
                "hourly = every sixty minutes | each time sixty minutes have gone by",
                "daily = every twenty-four hours | once per calendar date",
                "weekly = every seven days | once in seven days",
                "fortnightly = every two weeks | every fourteen days",
                "monthly = twelve times a year | on the first of January, the first of February and so on",
                "quarterly = four times a year | every three months",
                "half-yearly = twice a year | every six months",
                "yearly = once every twelve months | each January for the whole of the twelve months",
            ),
        ),
    ),
    dial=4,
)

PARTS = Domain(
    id="spare-parts",
    openings=(
        "We have run out of bolts and I must order some.",
        "Our workshop needs bolts for the next job.",
        "Please look up the right bolts for me.",
        "I am repairing an old press and bolts are missing.",
        "Here is what the customer said about the bolts.",
    ),
    closings=("There is no room for substitutes.", "Only the exact part helps us.", "Please send the matching line."),
    attributes=(
        Attribute(
            "material",
            "they must be made of {}",
            "the wrong delivery was of {}",
            table(
                "brass = an alloy of copper and zinc | copper mixed with zinc",
                "bronze = an alloy of copper and tin | copper mixed with tin",
                (
                    "stainless steel = rust-free metal, mainly iron with chromium | iron alloyed with chromium so "
                    "that it stays rust-free"
                ),
                "nylon = polyamide | the plastic also called polyamide",
                "PTFE = the non-stick plastic known from frying pans | what coats non-stick pans",
                "aluminium = the light metal used for drinks cans | the metal of which most drinks cans consist",
                "cast iron = ferrous metal poured into a mould | ferrous metal that was molten and poured",
                "ceramic = fired clay | clay that was baked in a kiln",
            ),
        ),
        Attribute(
            "head",
            "what we need is the kind with {}",
            "by mistake we had bought the kind with {}",
            table(
                "a [hexagon head] = six sides at the top | a six-sided top",
                "a [square head] = four equal sides at the top | a four-sided top",
                (
                    "a [countersunk head] = a top that sinks flush into the surface | a top that ends level with the "
                    "surface"
                ),
                "a [dome head] = a rounded top like half a ball | a top shaped like half a ball",
                "a [wing head] = two ears for turning by hand | a pair of ears to grip with two fingers",
                "an [eye head] = a ring at the top | a loop at the top that a rope can go through",
                "a [T head] = a crossbar at the top | a top like a capital letter with one crossbar",
                "a [knurled head] = a ribbed grip at the top | a top ribbed all round for a better grip",
            ),
        ),
        Attribute(
            "length",
            "the length has to be {}",
            "the ones that did not fit were {}",
            dial(
                range(35, 99),
                lambda n: f"{n} mm",
                lambda n: f"{number_words(n)} millimetres",
                lambda n: f"{n // 10}.{n % 10} centimetres",
            ),
        ),
        Attribute(
            "count",
            "a packet has to hold {}",
            "last time a packet was {}",
            table(
                "a [set of 2] = a pair | one for the left and one for the right",
                "a [set of 6] = half a dozen | three pairs",
                "a [set of 12] = a dozen | twice half a dozen",
                "a [set of 20] = a score | four times five",
                "a [set of 24] = two dozen | four times six",
                "a [set of 50] = half a hundred | fifty pieces",
                "a [set of 100] = a hundred | ten times ten pieces",
                "a [set of 144] = a gross | twelve dozen",
            ),
        ),
        Attribute(
            "wrapping",
            "they should come {}",
            "the old stock came {}",
            table(
                "on a [blister card] = sealed behind clear plastic | under a clear plastic bubble",
                "in a [paper bag] = in a small sack folded from brown kraft | in a brown kraft sack",
                "in a [tin] = in a metal box | in a small metal container",
                "in a [glass jar] = in a see-through container with a screw lid | in a transparent screw-top container",
                "in a [crate] = in a wooden case | nailed up in a wooden case",
                (
                    "in a [drawstring pouch] = in a cloth purse pulled shut with a cord | in a little sack closed by "
                    "a cord"
                ),
                "in a [cardboard tube] = in a round carton | in a carton shaped like a pipe",
                "loose = without any packaging | unwrapped",
            ),
        ),
        Attribute(
            "origin",
            "it is important that they are {}",
            "we used to have those {}",
            table(
                "from [Portugal] = of Portuguese make | of Portuguese manufacture",
                "from [Finland] = of Finnish make | of Finnish manufacture",
                "from [Poland] = of Polish make | of Polish manufacture",
                "from [Greece] = of Greek make | of Greek manufacture",
                "from [Denmark] = of Danish make | of Danish manufacture",
                "from [Spain] = of Spanish make | of Spanish manufacture",
                "from [Wales] = of Welsh make | of Welsh manufacture",
                "from [Turkey] = of Turkish make | of Turkish manufacture",
            ),
        ),
    ),
    dial=2,
)

ROOMS = Domain(
    id="meeting-rooms",
    openings=(
        "Please reserve a meeting room for our group.",
        "I am planning a workshop and need a room.",
        "Our usual room is being painted, so we need another one.",
        "Can you see which room suits the committee?",
        "A client visits us and I have to book a room.",
    ),
    closings=("Every point matters.", "Please pick the room that has all of this.", "That is all I know."),
    attributes=(
        Attribute(
            "seats",
            "it must have places for exactly {}",
            "the room we had was for {}",
            table(
                "6 people = half a dozen guests | six guests",
                "8 people = eight guests | four couples",
                "10 people = ten guests | five couples",
                "12 people = a dozen guests | twelve guests",
                "16 people = sixteen guests | eight couples",
                "20 people = a score of guests | twenty guests",
                "24 people = two dozen guests | twelve couples",
                "30 people = thirty guests | fifteen couples",
            ),
        ),
        Attribute(
            "layout",
            "we want {}",
            "last time we had {}",
            table(
                "rows of chairs = seats one behind the other as in a theatre | theatre seating",
                "one long table = a single long tabletop for everybody | everybody along the same long tabletop",
                "round tables = circular tabletops, as at a wedding | tabletops without corners, as at a banquet",
                "a [U shape] = a horseshoe | everyone placed like a horseshoe",
                (
                    "a [chair circle] = a ring of seats with nothing in the middle | everybody in a ring, without "
                    "any tabletops"
                ),
                "bar tables = high stands without seats | high stands at which one does not sit",
                "sofas = couches | upholstered couches",
                "school desks = a classroom | pupils' benches facing a teacher",
            ),
        ),
        Attribute(
            "device",
            "there has to be {}",
            "the former room offered {}",
            table(
                (
                    "a [projector] = a machine that throws slides onto the wall | something that throws slides onto "
                    "a screen"
                ),
                (
                    "a [whiteboard] = a shiny surface for felt pens that wipes clean | something to scribble on with "
                    "dry-wipe pens"
                ),
                "a [flip chart] = an easel with big sheets of paper | a pad of poster-size paper on an easel",
                "a [conference phone] = a device for calls with sound only | a device for group calls without pictures",
                "a [webcam] = a device for calls with picture | something that films us for online calls",
                "a [lectern] = a stand behind which a speaker can read a speech | a pulpit for the speaker",
                "a [piano] = a keyboard instrument with strings | an upright with eighty-eight keys",
                "a [sink] = running water and a basin | a basin with a tap",
            ),
        ),
        Attribute(
            "view",
            "the windows should look out on {}",
            "the old one looked out on {}",
            table(
                "the [courtyard] = the inner yard | the yard enclosed by the building",
                "the [river] = the flowing water | the stream with the bridges",
                "the [car park] = the place where drivers leave their vehicles | the parking lot",
                "the [garden] = the lawn and the flower beds | the flower beds",
                "the [railway] = the train tracks | the tracks and the passing trains",
                "the [market square] = the plaza with the stalls | the plaza where traders put up stalls",
                "the [forest] = the woods | woodland full of trees",
                "the [harbour] = the quay with the ships | the ships at the quay",
            ),
        ),
        Attribute(
            "catering",
            "for refreshment we would like {}",
            "the caterer used to bring {}",
            table(
                "coffee = the hot drink from roasted beans | espresso and the like",
                "fruit = apples, pears and grapes | a bowl of apples and grapes",
                "sandwiches = slices of bread with a filling | filled slices of bread",
                "soup = a hot broth | something hot to spoon from a bowl",
                "cake = a sweet sponge in slices | sweet baked things",
                "ice cream = frozen scoops | scoops in a cone",
                "cheese = brie, gouda and cheddar | a platter of brie and cheddar",
                "nuts = almonds, cashews and walnuts | almonds and cashews to nibble",
            ),
        ),
        Attribute(
            "start",
            "we want the slot {} and no other",
            "our old slot was {}",
            dial(
                range(450, 450 + 640, 10),
                lambda n: f"from {n // 60:02d}:{n % 60:02d}",
                lambda n: f"from {time_words(n)}",
                lambda n: f"from {(n // 60 - 1) % 12 + 1}.{n % 60:02d} {'a.m.' if n < 720 else 'p.m.'}",
            ),
        ),
    ),
    dial=5,
)

ROUTES = Domain(
    id="courier-routes",
    openings=(
        "I have to add our shop to one of your courier routes.",
        "Which of the courier routes is the one that our dispatcher means?",
        "I was told about a courier route and try to find it again.",
        "A colleague recommended one of your courier routes to me.",
        "Please look for the courier route in these notes.",
    ),
    closings=("All of this was certain.", "Nothing in this is negotiable.", "More was not said."),
    attributes=(
        Attribute(
            "vehicle",
            "the goods travel {}",
            "until spring everything went {}",
            table(
                "by [cargo bike] = in a box in front of someone who pedals | by pedal power",
                "by [lorry] = in a truck | by truck",
                "by [moped] = on a small motor scooter | by scooter",
                "by [barge] = on a flat boat along the canal | on the water, in a flat boat",
                "by [estate car] = in a station wagon | by station wagon",
                "by [drone] = through the air without a pilot on board | in a little unmanned aircraft",
                "by [train] = on rails | by rail",
                "by [horse cart] = drawn by an animal with hooves | behind a mare and a stallion",
            ),
        ),
        Attribute(
            "rhythm",
            "the trip is made {}",
            "the first timetable said {}, which was withdrawn",
            table(
                "hourly = every sixty minutes | twenty-four times between midnight and midnight",
                "daily = every twenty-four hours | seven times a week",
                "weekly = once in seven days | fifty-two times a year",
                "fortnightly = once in two weeks | every fourteen days",
                "monthly = twelve times a year | once in January, once in February and so on",
                "quarterly = four times a year | every three months",
                "half-yearly = twice a year | every six months",
                "yearly = once in twelve months | only once between January and December",
            ),
        ),
        Attribute(
            "goods",
            "what is carried is {}",
            "another note that says {} is out of date",
            table(
                "documents = letters and files | paperwork",
                "frozen food = groceries below zero degrees | deep-chilled groceries",
                "medicines = pharmaceuticals | pills and vaccines",
                "flowers = bouquets | roses, tulips and the like",
                "furniture = chairs, beds and wardrobes | beds, chairs and cupboards",
                "laundry = washing | worn shirts and fresh bed linen",
                "glassware = tumblers, vases and bottles | breakable tumblers and vases",
                "books = printed volumes | novels and atlases",
            ),
        ),
        Attribute(
            "distance",
            "the tour is {} long",
            "an old map still says {}",
            dial(
                range(40, 104),
                lambda n: f"{n // 2}.{n % 2 * 5} km",
                lambda n: f"{halves_words(n)} kilometres",
                lambda n: f"{n * 500:,} metres",
            ),
        ),
        Attribute(
            "proof",
            "on arrival {}",
            "the rule that {} has been dropped",
            table(
                "a [signature] is required = the receiver writes his or her name | the receiver signs",
                "a [photo] is taken = a picture of the parcel is taken | the driver takes a picture of the parcel",
                "a [PIN] is asked for = the receiver says four secret digits | four secret digits are compared",
                "a [passport check] is made = the receiver shows an identity document | an identity document is shown",
                "a [stamp] is needed = the receiver inks the slip with the company seal | the slip gets an inked seal",
                "a [phone call] is made = the driver rings the receiver up | the receiver is rung up",
                "a [text message] is sent = the receiver gets an SMS | an SMS goes out",
                (
                    "the [doorbell] is rung = the driver presses the button at the entrance | the button at the "
                    "entrance is pressed"
                ),
            ),
        ),
        Attribute(
            "terminus",
            "the last stop is {}",
            "the line that ends at {} was another one",
            table(
                "the [harbour] = the port | where the ships dock",
                "the [airport] = the place with the runways | where the planes land",
                "the [hospital] = the clinic | where the surgeons work",
                "the [university] = the campus | where the professors teach",
                "the [town hall] = the mayor's seat | where the mayor works",
                "the [stadium] = the football ground | where the football team plays at home",
                "the [library] = the house that lends out novels | where one borrows novels",
                "the [brewery] = the place where beer is made | where hops and malt become beer",
            ),
        ),
    ),
    dial=3,
)

SEEDS = Domain(
    id="seed-packets",
    openings=(
        "I want to order one more packet of seeds.",
        "My neighbour swears by a certain seed packet, and I would like the same.",
        "For the school garden we need one particular packet of seeds.",
        "Please find the seed packet that I had two years ago.",
        "There is a gap in my vegetable patch, and I know what belongs there.",
    ),
    closings=("It has to be this one.", "I am sure of all of it.", "Other packets are of no use to me."),
    attributes=(
        Attribute(
            "crop",
            "it contains {}",
            "it is not the {} that I sent back",
            table(
                "aubergine = eggplant | what Americans call eggplant",
                "courgette = zucchini | what Italians call zucchini",
                "rocket = arugula | what Americans call arugula",
                "coriander = cilantro | what Mexicans call cilantro",
                "swede = rutabaga | what Americans call rutabaga",
                "broad bean = fava | what Italians call fava",
                "spring onion = scallion | what Americans call scallion",
                "maize = corn on the cob | what Americans call corn",
            ),
        ),
        Attribute(
            "month",
            "the back says to {}",
            "it is not the one marked: {}",
            table(
                "sow in February = plant it in the second month of the year | plant it in month number two",
                "sow in March = plant it in the third month of the year | plant it in month number three",
                "sow in April = plant it in the fourth month of the year | plant it in month number four",
                "sow in May = plant it in the fifth month of the year | plant it in month number five",
                "sow in June = plant it in the sixth month of the year | plant it in month number six",
                "sow in July = plant it in the seventh month of the year | plant it in month number seven",
                "sow in August = plant it in the eighth month of the year | plant it in month number eight",
                "sow in September = plant it in the ninth month of the year | plant it in month number nine",
            ),
        ),
        Attribute(
            "soil",
            "it is meant for {}",
            "it is not the type for {} that my former garden needed",
            table(
                "clay = heavy, sticky earth that potters like | the heavy earth that pots are made of",
                "sand = what children build castles from at the seaside | earth of the kind found on dunes",
                "chalk = white, limy earth | limy earth as on white cliffs",
                "peat = dark bog earth | what is dug from bogs",
                "gravel = earth full of small pebbles | ground made of pebbles",
                "silt = fine mud left by a river | the mud that a flood leaves behind",
                "compost = rotted kitchen scraps and leaves | what the heap of kitchen scraps turns into",
                "rock wool = mineral fibre without any earth | a bed of mineral fibre",
            ),
        ),
        Attribute(
            "spacing",
            "the plants are to stand {}",
            "it is not the one whose leaflet said {}",
            table(
                "5 cm apart = five centimetres from each other | a twentieth of a metre from each other",
                "10 cm apart = ten centimetres from each other | a tenth of a metre from each other",
                "15 cm apart = fifteen centimetres from each other | a hundred and fifty millimetres from each other",
                "20 cm apart = twenty centimetres from each other | a fifth of a metre from each other",
                "25 cm apart = twenty-five centimetres from each other | a quarter of a metre from each other",
                "50 cm apart = fifty centimetres from each other | half a metre from each other",
                "75 cm apart = seventy-five centimetres from each other | three quarters of a metre from each other",
                "100 cm apart = one metre from each other | a whole metre from each other",
            ),
        ),
        Attribute(
            "strength",
            "it is known to put up with {}",
            "it is not the one advertised as proof against {}",
            table(
                "drought = long dry spells | weeks without rain",
                "frost = temperatures below zero | freezing nights",
                "slugs = snails without shells | the slimy animals that eat lettuce at night",
                "aphids = greenfly | tiny green sap-suckers",
                "mildew = a white powdery fungus | the fungus that looks like flour on the leaves",
                "gales = storms | very strong wind",
                "salt = spray from the sea | the white crystals that are strewn on icy roads",
                "shade = places without sun | spots that the sun never reaches",
            ),
        ),
        Attribute(
            "days",
            "from sowing to harvest it takes {}",
            "it is not the one with the label {}",
            dial(
                range(45, 109),
                lambda n: f"{n} days",
                lambda n: f"{number_words(n)} days",
                lambda n: (
                    f"{number_words(n // 7)} weeks"
                    + (f" and {number_words(n % 7)} day{'s' * (n % 7 > 1)}" if n % 7 else "")
                ),
            ),
        ),
    ),
    dial=5,
)

DOMAINS: tuple[Domain, ...] = (LOCKERS, PARTS, ROOMS, ROUTES, SEEDS)
