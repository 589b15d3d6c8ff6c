from fastagent_tools.text.naming import Names

NAMES = Names(["web", "cart", "cart-db"])


def test_pods_and_other_spellings_are_the_service() -> None:
    for name in ("cart", "CART", "cart-579f59597d-wc2lz", "cart-0", " cart "):
        assert NAMES.canonical(name) == "cart"


def test_what_nobody_knows_keeps_its_name() -> None:
    assert NAMES.canonical("billing-579f59597d-wc2lz") == "billing-579f59597d-wc2lz"


def test_the_longest_service_names_a_column() -> None:
    assert NAMES.of_column("cart-db_connections") == ("cart-db", "connections")
    assert NAMES.of_column("web_cart") == ("web->cart", "")
    assert NAMES.of_column("website_hits") is None
